/* The reactor's calls, for any interpreter. main.c has the work of a host, as wasi/reactor/README.md describes it;
 * wasm3.c and wamr.c have the work of an interpreter. */
#ifndef CPB_DEVICES_REACTOR_H
#define CPB_DEVICES_REACTOR_H

#include <stddef.h>
#include <stdint.h>

/* The module, in flash, and its data (module.S). */
extern const uint8_t module_begin[], module_end[], data_begin_in_flash[], data_end_in_flash[];

/* Loads the module, with so many bytes of linear memory; NULL, or an error text. */
const char *reactor_load(uint32_t memory);

/* Calls an export. `types` has a letter for each argument: i has 32 bits, I has 64; the result, if
 * there is one, is returned. A trap ends the program. */
uint64_t reactor_call(const char *name, const char *types, ...);

/* Where the linear memory is. */
uint8_t *reactor_memory(void);

#endif

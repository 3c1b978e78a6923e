/* The reactor's calls, independent of the interpreter: main.c is the host, as wasi/reactor/README.md describes it;
 * wasm3.c or wamr.c has the interpreter. */
#ifndef CPB_DEVICES_REACTOR_H
#define CPB_DEVICES_REACTOR_H

#include <stddef.h>
#include <stdint.h>

/* The module, in flash, and its data (module.S). */
extern const uint8_t module_begin[], module_end[], data_begin_in_flash[], data_end_in_flash[];

/* Loads the module, with this many bytes of linear memory; NULL, or the problem. */
const char *reactor_load(uint32_t memory);

/* Calls an export. `types` has a letter for each argument: i for 32 bits, I for 64; returns the result, if there is
 * one. A trap ends the program. */
uint64_t reactor_call(const char *name, const char *types, ...);

/* Where the linear memory is. */
uint8_t *reactor_memory(void);

#endif

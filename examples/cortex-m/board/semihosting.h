/* Files of the computer that runs or debugs the board (Arm's semihosting): what a device has
 * flash, a card or a network for. */
#ifndef CPB_SEMIHOSTING_H
#define CPB_SEMIHOSTING_H

#include <stddef.h>
#include <stdint.h>

/* The words that the program was started with; at most `size` bytes. */
int semihosting_command_line(char *out, size_t size);

/* A file, or -1. */
int semihosting_open_to_read(const char *name);
int semihosting_open_to_write(const char *name);
uint32_t semihosting_size(int file);
/* How many bytes were read at `offset`; 0 at the end, and when it failed. */
size_t semihosting_read(int file, uint32_t offset, void *out, size_t size);
/* 0, or -1. */
int semihosting_write(int file, const void *data, size_t size);

void semihosting_print(const char *text);
__attribute__((noreturn)) void semihosting_exit(int status);

#endif

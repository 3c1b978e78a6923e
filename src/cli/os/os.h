/* What the command asks of the operating system beyond C and the descriptors
 * of cpb/file.h: one file implements it for each system. */
#ifndef CPB_CLI_OS_OS_H
#define CPB_CLI_OS_OS_H

#include <stdbool.h>

/* Before anything else: a closed pipe becomes an error of the write, and a
 * signal that ends the program removes the guarded file first. */
void os_start(void);

/* Between these two such a signal waits. */
void os_hold_signals(void);
void os_let_signals(void);

/* The file to remove when a signal ends the program; NULL for none. The string
 * must live until the next call. */
void os_guard(const char *path);

/* A descriptor of an empty file without a name, open for reading and writing;
 * -1 and errno when there is none to be had. */
int os_spool(void);
void os_close(int fd);

bool os_is_special(const char *path); /* there, but neither file nor directory */
bool os_is_terminal(int fd);

/* How many processors there are; 1 where there are no threads. */
unsigned os_processors(void);

/* From some fixed moment. */
double os_seconds(void);

#endif

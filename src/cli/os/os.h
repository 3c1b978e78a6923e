/* What the command asks of the operating system beyond C and the descriptors
 * of cpb/file.h: one file implements it for each system. */
#ifndef CPB_CLI_OS_OS_H
#define CPB_CLI_OS_OS_H

#include <stdbool.h>
#include <time.h>

/* Before anything else: of the standard descriptors none is left for a file to get. A closed
 * pipe and the limit for a file's size become errors of the write, and a signal that ends
 * the program has what is guarded undone first. */
void os_start(void);

/* Between these two such a signal waits. */
void os_hold_signals(void);
void os_let_signals(void);

/* What to call when a signal ends the program; NULL for nothing. */
void os_guard(void (*undo)(void *what), void *what);

/* A descriptor of an empty file without a name, open for reading and writing;
 * -1 and errno when there is none to be had. */
int os_spool(void);

/* After that: why, and what to do. */
const char *os_spool_problem(void);
void os_close(int fd);

bool os_is_special(const char *path); /* there, but neither file nor directory */
bool os_is_folder(const char *path);
time_t os_modified(const char *path);          /* 0: not known */
bool os_is_same(const char *a, const char *b); /* there, and one file, also by links */

/* Locks the folder that a path is in for other processes that do, until `*lock` is closed; waits at most so many
 * milliseconds. False: another one has it. Where folders have no locks `*lock` is -1. */
bool os_lock_folder(const char *path, unsigned wait, int *lock);
bool os_is_terminal(int fd);
unsigned os_columns(int fd); /* of a terminal; 0 where that is not known */

/* How many processors there are; 1 where there are no threads. */
unsigned os_processors(void);

/* From some fixed moment. */
double os_seconds(void);

#endif

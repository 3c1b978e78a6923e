/* The command's interface to the operating system, beyond C and the descriptors of cpb/file.h. One file implements it
 * for each system. */
#ifndef CPB_CLI_OS_OS_H
#define CPB_CLI_OS_OS_H

#include <stdbool.h>
#include <time.h>

/* Call it first. It makes sure that no file can get the number of a standard descriptor. A closed pipe and the limit on
 * a file's size become write errors, and a signal that ends the program first calls the guard's undo. */
void os_start(void);

/* Between these two, such a signal waits. */
void os_hold_signals(void);
void os_let_signals(void);

/* Sets the function that is called if a signal ends the program; NULL: none. */
void os_guard(void (*undo)(void *what), void *what);

/* A descriptor of an empty file without a name, open for reading and writing; -1 and errno on failure. */
int os_spool(void);

/* The reason of that failure, and advice. */
const char *os_spool_problem(void);
void os_close(int fd);

bool os_is_special(const char *path); /* there, but neither file nor directory */
int os_open_pipe(const char *path);   /* for reading; -1: not a pipe */
bool os_is_file(const char *path);
bool os_is_folder(const char *path);
time_t os_modified(const char *path);          /* 0: unknown */
bool os_is_same(const char *a, const char *b); /* there, and one file, also by links */

/* Locks a path's folder against other processes that use this function, until `*lock` is closed; waits at most `wait`
 * milliseconds. False: another process has the lock. On systems without locks for folders, `*lock` is -1. */
bool os_lock_folder(const char *path, unsigned wait, int *lock);
bool os_is_terminal(int fd);
unsigned os_columns(int fd); /* of a terminal; 0 if unknown */

/* The number of processors; 1 without threads. */
unsigned os_processors(void);

/* Since some fixed moment. */
double os_seconds(void);

#endif

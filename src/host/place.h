/* The place of an output's file: the file that is written, and how it gets its name. place.c supports files with a
 * temporary name; place_posix.c those without a name, modes and links; place_wasi.c the subset that WASI supports. */
#ifndef CPB_HOST_PLACE_H
#define CPB_HOST_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "cpb/base.h"

typedef struct cpb_place {
  cpb_allocator allocator;
  char *path; /* the final name */
  char *name; /* a temporary one next to it */
  bool replace;
  bool beside;   /* a new file is written, with or without the temporary name */
  bool named;    /* our file with the temporary name exists */
  unsigned mode; /* the mode that the system gives new files */
} cpb_place;

/* All return false, or -1, with errno set. */
bool cpb_place_set(cpb_place *p, const char *path);
void cpb_place_free(cpb_place *p);

/* Opens a descriptor for writing: a new file, or a path that is not a regular file. */
int cpb_place_open(cpb_place *p);

/* Gives the file the mode of the final one. */
bool cpb_place_set_mode(const cpb_place *p, int fd);

/* Gives the file its name. Without `replace`, only if no file has the name. */
bool cpb_place_publish(cpb_place *p, int fd);

/* Writes the folder's entry to the disk. */
bool cpb_place_sync(const cpb_place *p);

/* Removes the file with the temporary name. May be called by a signal handler. */
void cpb_place_remove(cpb_place *p);

/* --- A file that is changed where it is: nobody else may change it meanwhile ------------- */

typedef struct cpb_claim {
  const char *path;
  int fd;
  uint64_t device, number, size; /* of the file */
  int64_t seconds, nanoseconds;  /* when it was changed last */
} cpb_claim;

/* Opens the file and locks it, for other programs that lock, until the descriptor is closed;
 * waits at most so many milliseconds for one that has it. CPB_E_WRITE. */
cpb_code cpb_claim_take(cpb_claim *claim, const char *path, unsigned wait, cpb_error *error);

/* Checks that the path still leads to this file, and, if nothing was written yet, that the file has not changed since
 * it was locked: not all programs use locks. CPB_E_WRITE. */
cpb_code cpb_claim_check(const cpb_claim *claim, bool written, cpb_error *error);

/* --- place.c ----------------------------------------------------------------------- */

/* Calls `make(user, name)` with new temporary names while it fails with EEXIST. */
bool cpb_place_try_names(cpb_place *p, bool (*make)(void *user, const char *name), void *user);

/* Creates a file with a temporary name. */
int cpb_place_open_named(cpb_place *p, unsigned mode);
bool cpb_place_publish_named(cpb_place *p);

#endif

/* Where an output's file is to be: the file that is written, and how it gets its name.
 * place.c knows files with a temporary name; place_posix.c those without one, modes and
 * links, and place_wasi.c what there is of it in WASI. */
#ifndef CPB_HOST_PLACE_H
#define CPB_HOST_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"

typedef struct cpb_place {
  cpb_allocator allocator;
  char *path; /* the final name */
  char *name; /* a temporary one beside it */
  bool replace;
  bool beside;   /* what is written is a new file, with or without the temporary name */
  bool named;    /* there is a file of the temporary name, and it is ours */
  unsigned mode; /* what the system gives to a new file */
} cpb_place;

/* All return false, or -1, with errno set. */
bool cpb_place_set(cpb_place *p, const char *path);
void cpb_place_free(cpb_place *p);

/* A descriptor to write to: of a new file, or of a path that is no regular file. */
int cpb_place_open(cpb_place *p);

/* Gives the file the mode that it is to have under its name. */
bool cpb_place_set_mode(const cpb_place *p, int fd);

/* Gives the file its name. Without `replace` only if there is none of that name. */
bool cpb_place_publish(cpb_place *p, int fd);

/* The folder's entry on the disk. */
bool cpb_place_sync(const cpb_place *p);

/* Removes the file of the temporary name. May be called by a handler of signals. */
void cpb_place_remove(cpb_place *p);

/* --- place.c ----------------------------------------------------------------------- */

/* `make(user, name)` with one temporary name after another while it fails with EEXIST. */
bool cpb_place_try_names(cpb_place *p, bool (*make)(void *user, const char *name), void *user);

/* A new file of a temporary name. */
int cpb_place_open_named(cpb_place *p, unsigned mode);
bool cpb_place_publish_named(cpb_place *p);

#endif

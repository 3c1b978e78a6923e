/* The other files that a file refers to: what it names is opened if it lies in the file's own folder, or in that which
 * the file really is in where its path is a link, or if the caller allows more. */
#ifndef CPB_HOST_REFERENCES_H
#define CPB_HOST_REFERENCES_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/url.h"

typedef struct cpb_references cpb_references;

/* Which file a descriptor reads, whatever its path has come to lead to. */
typedef struct cpb_identity {
  uint64_t device, number;
  bool is_known;
} cpb_identity;

/* A file that names others: where it is, how long its folder is at the beginning of that (0: the current one), and
 * which file was opened there. */
typedef struct cpb_reference_home {
  const char *path;
  size_t folder;
  cpb_identity identity;
} cpb_reference_home;

/* Of the file at `path`, which may be a URL; NULL: it has no place. `fd`: its descriptor, or -1. `urls`: with which
 * that was opened, or NULL. NULL when memory is short. */
cpb_references *cpb_references_new(const cpb_allocator *a, const char *path, int fd, const cpb_url_options *urls);
cpb_references *cpb_references_copy(const cpb_references *r);
void cpb_references_free(cpb_references *r);

/* Everything may be opened from now on; URLs with these options, which may be NULL if the file is one. */
void cpb_references_allow(cpb_references *r, const cpb_url_options *urls);

/* The file is one that the system does not know, such as one in an archive: files beside it are opened so
 * (cpb_archive_open), NULL: by the system. */
typedef cpb_file *cpb_open_beside(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                                  cpb_error *error);
void cpb_references_open_with(cpb_references *r, cpb_open_beside *open);

/* The file of this name, which may be closed at the next call. NULL with the error set. */
cpb_file *cpb_references_open(cpb_references *r, cpb_span name, cpb_error *error);

/* (This and the rest: references_posix.c or _wasi.c.) Of a descriptor that is open. */
cpb_identity cpb_reference_identity(int fd);

/* Opens the file at `path` for reading if, after links, it lies in the home's folder or in the folder that has the
 * home's file itself: the file that is opened, even if links are exchanged meanwhile. -1 with the error set, or
 * without one if it lies elsewhere. */
int cpb_reference_descriptor(const cpb_reference_home *home, const char *path, cpb_error *error);

/* Appends to `name` what a file in the folder that the first `folder` bytes of `path` name has to call the file at
 * `file`: its path from there, after links. False with errno set; EXDEV: it cannot be told; ENOMEM. */
bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name);

/* Whether both paths lead to one file, which there is. */
bool cpb_reference_is_same(const char *a, const char *b);

#endif

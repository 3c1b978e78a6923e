/* The other files that a file refers to: what it names is opened if it lies in the file's own folder, or if
 * the caller allows more. */
#ifndef CPB_HOST_REFERENCES_H
#define CPB_HOST_REFERENCES_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/url.h"

typedef struct cpb_references cpb_references;

/* Of the file at `path`, which may be a URL; NULL: it has no place. `urls`: with which that was opened, or NULL.
 * NULL when memory is short. */
cpb_references *cpb_references_new(const cpb_allocator *a, const char *path, const cpb_url_options *urls);
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

/* Whether the name leads from a folder to nothing outside of it, links aside. */
bool cpb_reference_stays(cpb_span name);

/* Opens the file at `path` for reading if, after links, it lies in the folder that the first `folder` bytes
 * name (0: the current one). -1 with the error set, or without one if it lies elsewhere. (references_posix.c or
 * _wasi.c) */
int cpb_reference_descriptor(const char *path, size_t folder, cpb_error *error);

/* Appends to `name` what a file in the folder that the first `folder` bytes of `path` name has to call the file at
 * `file`: its path from there, after links. False with errno set; EXDEV: it cannot be told; ENOMEM.
 * (references_posix.c or _wasi.c) */
bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name);

/* Whether both paths lead to one file, which there is. (references_posix.c or _wasi.c) */
bool cpb_reference_is_same(const char *a, const char *b);

#endif

/* Opens the other files that a file refers to. A file may be opened if it is in the same folder; if the path is a link,
 * in the folder of the link's target; or if the caller allows more. */
#ifndef CPB_HOST_REFERENCES_H
#define CPB_HOST_REFERENCES_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/url.h"

typedef struct cpb_references cpb_references;

/* Identifies the file that a descriptor reads, even if its path now leads elsewhere. */
typedef struct cpb_identity {
  uint64_t device, number;
  bool is_known;
} cpb_identity;

/* A file that names others: its path, the length of its folder in the path (0: the current one), and the identity of
 * the file that was opened. */
typedef struct cpb_reference_home {
  const char *path;
  size_t folder;
  cpb_identity identity;
} cpb_reference_home;

/* For the file at `path`, which may be a URL; NULL: it has no place. `fd` is its descriptor, or -1. `urls` are the
 * options that it was opened with, or NULL. NULL if memory is short. */
cpb_references *cpb_references_new(const cpb_allocator *a, const char *path, int fd, const cpb_url_options *urls);
cpb_references *cpb_references_copy(const cpb_references *r);
void cpb_references_free(cpb_references *r);

/* Allows all files from now on; URLs with these options, which may be NULL if the file is a URL itself. */
void cpb_references_allow(cpb_references *r, const cpb_url_options *urls);

/* Opens files next to a file that is not in the file system, such as one in an archive (cpb_archive_open). NULL: the
 * system opens them. */
typedef cpb_file *cpb_open_beside(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                                  cpb_error *error);
void cpb_references_open_with(cpb_references *r, cpb_open_beside *open);

/* Opens the file with this name; the next call may close it. NULL with the error set. */
cpb_file *cpb_references_open(cpb_references *r, cpb_span name, cpb_error *error);

/* (This and the rest: references_posix.c or _wasi.c.) The identity of an open descriptor. */
cpb_identity cpb_reference_identity(int fd);

/* Opens the file at `path` for reading if, after links, it is in the home's folder, or in the folder of the home's
 * actual file. The checked file is the one that is opened, even if links change in between. -1 with the error set; -1
 * without an error if the file is elsewhere. */
int cpb_reference_descriptor(const cpb_reference_home *home, const char *path, cpb_error *error);

/* Appends to `name` the path of the file at `file` from a folder, the first `folder` bytes of `path`, after links.
 * False with errno set; EXDEV: no such path exists; ENOMEM. */
bool cpb_reference_name(const char *file, const char *path, size_t folder, cpb_buffer *name);

/* Whether both paths lead to the same existing file. */
bool cpb_reference_is_same(const char *a, const char *b);

#endif

/* Functions of cpb_file for the library itself. */
#ifndef CPB_HOST_FILE_H
#define CPB_HOST_FILE_H

#include <stdbool.h>

#include "cpb/file.h"
#include "host/references.h"
#include "host/url/response.h"

/* Another view of a file, for another thread: it reads the same descriptor without moving it, or the same URL with its
 * own requests. NULL if memory is short or the file cannot be read at any offset; `file` must outlive it. */
cpb_file *cpb_file_share(cpb_file *file);

/* Errors of its source keep their codes, which otherwise become CPB_E_READ: for sources of the library itself, which
 * may read damaged data. */
void cpb_file_keep_codes(cpb_file *file);

/* For a file whose source reads parts of something that has a checksum: `check` reads all of that. `user` is the
 * source's. */
typedef bool cpb_check_source(void *user, cpb_error *error);
void cpb_file_check_with(cpb_file *file, cpb_check_source *check);

/* Compares the file's checksum, if it has one, and from now on those of other files that it names, as they are opened.
 * For copies of everything. */
bool cpb_file_check(cpb_file *file, cpb_error *error);

/* Opens a file that the caller did not name: only a regular file (host/descriptor.h). */
cpb_file *cpb_file_open_beside(const cpb_allocator *allocator, const char *path, cpb_error *error);

/* For a file whose bytes were made from the one at `path`, which may be a URL: files that it names are searched next to
 * `path`, and opened with `open` (cpb_references_open_with). False if memory is short. */
bool cpb_file_stand_for(cpb_file *file, const char *path, const cpb_url_options *urls, cpb_open_beside *open);

/* Takes over an open descriptor; the caller has checked that it may be opened. */
cpb_file *cpb_file_take(const cpb_allocator *allocator, const char *path, int fd, cpb_error *error);

/* Whether this is a URL, and the last failure was a missing file. */
bool cpb_file_is_absent(const cpb_file *file);

/* The server's validators for the state of a URL's file; NULL for any other file. */
const cpb_validators *cpb_file_validators(const cpb_file *file);

#endif

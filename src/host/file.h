/* What is not public of cpb_file. */
#ifndef CPB_HOST_FILE_H
#define CPB_HOST_FILE_H

#include <stdbool.h>

#include "cpb/file.h"
#include "host/references.h"
#include "host/url/response.h"

/* Another view of a file, for one more thread: it reads the same descriptor without
 * moving it, or the same URL by requests of its own. NULL when memory is short or not
 * everything can be read at any offset; `file` must outlive it. */
cpb_file *cpb_file_share(cpb_file *file);

/* The errors of its source keep their codes, which otherwise become CPB_E_READ: the source is ours, and what it reads
 * from may be damaged. */
void cpb_file_keep_codes(cpb_file *file);

/* A file that the caller has not named: nothing else is opened (host/regular.h). */
cpb_file *cpb_file_open_beside(const cpb_allocator *allocator, const char *path, cpb_error *error);

/* The bytes of the file were made of what is at `path`, which may be a URL: files that they name are looked for beside
 * that, and opened with `open` (cpb_references_open_with). False when memory is short. */
bool cpb_file_stand_for(cpb_file *file, const char *path, const cpb_url_options *urls, cpb_open_beside *open);

/* What is open already, which it takes over: the caller has seen that it is what may be opened. */
cpb_file *cpb_file_take(const cpb_allocator *allocator, const char *path, int fd, cpb_error *error);

/* Whether this is a URL, and the last failure was that nothing is there. */
bool cpb_file_is_absent(const cpb_file *file);

/* What the server says of the state of a URL's file. NULL for any other. */
const cpb_validators *cpb_file_validators(const cpb_file *file);

#endif

/* Files in zip archives: what `model.zip!/folder/file` names. */
#ifndef CPB_HOST_ARCHIVE_H
#define CPB_HOST_ARCHIVE_H

#include <stdbool.h>

#include "cpb/archive.h"
#include "cpb/url.h"

/* The mark between an archive's path and that of a file in it. */
#define CPB_ARCHIVE_MARK "!/"

/* Whether a path leads into an archive. */
bool cpb_archive_is_path(const char *path);

/* Whether it certainly does, because .zip precedes the mark; otherwise a server might have a file with this name. */
bool cpb_archive_is_zip_path(const char *path);

/* Whether a file begins like a zip archive. */
bool cpb_archive_is_zip(cpb_file *file);

/* Opens a file in an archive: a stored one by its range, any other in memory. `path` may be a URL if there are `urls`.
 * NULL with the error set; `*absent`: the archive, or the file in it, does not exist. */
cpb_file *cpb_archive_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                           cpb_error *error);

/* Opens the model in the archive `zip`, and takes the archive's file over. `*path`, the archive's path, is replaced by
 * the model's. NULL with the error set: the archive has several models, which the error lists, or its only one cannot
 * be read; NULL without an error: it has no model. */
cpb_file *cpb_archive_open_model(const cpb_allocator *a, cpb_file *zip, char **path, const cpb_url_options *urls,
                                 const cpb_limits *limits, cpb_error *error);

#endif

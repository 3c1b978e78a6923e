/* Files in zip archives: what `model.zip!/folder/file` names. */
#ifndef CPB_HOST_ARCHIVE_H
#define CPB_HOST_ARCHIVE_H

#include <stdbool.h>

#include "cpb/archive.h"
#include "cpb/url.h"

/* What stands between an archive's path and that of a file in it. */
#define CPB_ARCHIVE_MARK "!/"

/* Whether a path leads into an archive. */
bool cpb_archive_is_path(const char *path);

/* Whether it surely does, as .zip stands before the mark: a server may have a file of the name otherwise. */
bool cpb_archive_is_zip_path(const char *path);

/* Whether a file begins as a zip archive does. */
bool cpb_archive_is_zip(cpb_file *file);

/* Opens a file in an archive: one that is stored by its range, any other whole, in memory. `path` may be a URL if
 * there are `urls`. NULL with the error set; `*absent`: there is no such archive, or no such file in it. */
cpb_file *cpb_archive_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                           cpb_error *error);

/* The model in the archive `zip`, which is closed with the file then. `*path` becomes its path, in place of the
 * archive's. NULL with the error set: there are several, which it lists, or the one cannot be read; without: there is
 * none. */
cpb_file *cpb_archive_open_model(const cpb_allocator *a, cpb_file *zip, char **path, const cpb_url_options *urls,
                                 const cpb_limits *limits, cpb_error *error);

#endif

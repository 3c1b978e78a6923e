/* Finds files at a path or at a URL, and in archives. */
#ifndef CPB_HOST_LOOKUP_H
#define CPB_HOST_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "cpb/archive.h"
#include "cpb/url.h"

/* For paths of the system (lookup_posix.c, also for WASI). */
bool cpb_lookup_exists(const char *path);
bool cpb_lookup_is_directory(const char *path);

#define CPB_LOOKUP_SHOWN 5
#define CPB_LOOKUP_NAME 256

typedef struct cpb_lookup_names {
  size_t count;
  char names[CPB_LOOKUP_SHOWN][CPB_LOOKUP_NAME]; /* the first ones, sorted */
} cpb_lookup_names;

/* The models in a directory, judged by their names, with relative paths: files (m.onnx), packages (m.mlpackage) and
 * SavedModels (m/saved_model.pb); the model in the folder with the highest number as its name (2/saved_model.pb); the
 * indexes of checkpoints; and all other files. */
typedef struct cpb_lookup_folder {
  cpb_lookup_names models, indexes, others;
  size_t num_versions;
  char version[CPB_LOOKUP_NAME];
  int error; /* errno if it cannot be listed, and so seems empty; else 0 */
} cpb_lookup_folder;

void cpb_lookup_in_folder(const char *path, cpb_lookup_folder *found);

/* Opens a file that the caller did not name; or, if there are `urls`, a URL, whose beginning or end will be read. NULL
 * with the error set; `*absent` tells whether the file does not exist. */
cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error);

/* --- Files in zip archives: what `model.zip!/folder/file` names (archive.c) ------------------ */

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
 * be read; NULL without an error: it has no model, or the archive cannot be read, as `unread` says: the reader of
 * another kind may say more. */
cpb_file *cpb_archive_open_model(const cpb_allocator *a, cpb_file *zip, char **path, const cpb_url_options *urls,
                                 const cpb_limits *limits, cpb_error *unread, cpb_error *error);

/* --- Files that name a model (named.c) -------------------------------------------------------- */

/* Packages of Core ML (.mlpackage) are folders whose Manifest.json names the model in them. */

#define CPB_PACKAGE_MANIFEST "Manifest.json"
#define CPB_PACKAGE_ROOM 256

/* The root model according to the manifest, an open file: its name relative to the package's folder, within it. False
 * with the error set: it cannot be read, or names none (cpb_is_of_content). Closes the file. */
bool cpb_package_root(const cpb_allocator *a, cpb_file *manifest, char out[CPB_PACKAGE_ROOM], cpb_error *error);

/* In a folder of checkpoints, TensorFlow keeps a file `checkpoint` that names the latest one. */

#define CPB_LATEST_ROOM 240

/* The last part of the path in the file, which is the checkpoint's place when it was saved: "" for files named ".index"
 * and so on. False if it names none, and with the error set if it cannot be read. Takes `file` over. */
bool cpb_latest_checkpoint(const cpb_allocator *a, cpb_file *file, char out[CPB_LATEST_ROOM], cpb_error *error);

#endif

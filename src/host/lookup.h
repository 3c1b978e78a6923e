/* What there is at a path, or at a URL. */
#ifndef CPB_HOST_LOOKUP_H
#define CPB_HOST_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "cpb/url.h"

/* Of the system's paths (lookup_posix.c, for WASI, too). */
bool cpb_lookup_exists(const char *path);
bool cpb_lookup_is_directory(const char *path);

#define CPB_LOOKUP_SHOWN 5
#define CPB_LOOKUP_NAME 256

/* What in a directory is a model by its name, relative to it: files (m.onnx), packages (m.mlpackage) and SavedModels
 * (m/saved_model.pb); the model in the highest of the folders that are named by numbers (2/saved_model.pb); and the
 * indexes of checkpoints. */
typedef struct cpb_lookup_folder {
  size_t num_models, num_versions, num_indexes;
  char models[CPB_LOOKUP_SHOWN][CPB_LOOKUP_NAME]; /* those that come first, in the order of their names */
  char version[CPB_LOOKUP_NAME];
  char index[CPB_LOOKUP_NAME]; /* the last that was found */
} cpb_lookup_folder;

/* (lookup_folder.c) Nothing of what cannot be read. */
void cpb_lookup_in_folder(const char *path, cpb_lookup_folder *found);

/* Opens a file that the caller has not named, or, if there are `urls`, a URL, of which the beginning or the end is then
 * read. NULL with the error set; `*absent` says whether that is because there is nothing. */
cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error);

#endif

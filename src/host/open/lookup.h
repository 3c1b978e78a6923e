/* Finds files at a path or at a URL. */
#ifndef CPB_HOST_LOOKUP_H
#define CPB_HOST_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

#include "cpb/url.h"

/* For paths of the system (lookup_posix.c, also for WASI). */
bool cpb_lookup_exists(const char *path);
bool cpb_lookup_is_directory(const char *path);

#define CPB_LOOKUP_SHOWN 5
#define CPB_LOOKUP_NAME 256

/* The models in a directory, judged by their names, with relative paths: files (m.onnx), packages (m.mlpackage) and
 * SavedModels (m/saved_model.pb); the model in the folder with the highest number as its name (2/saved_model.pb); and
 * the indexes of checkpoints. */
typedef struct cpb_lookup_folder {
  size_t num_models, num_versions, num_indexes;
  char models[CPB_LOOKUP_SHOWN][CPB_LOOKUP_NAME]; /* the first ones, sorted by name */
  char version[CPB_LOOKUP_NAME];
  char index[CPB_LOOKUP_NAME]; /* the last one found */
} cpb_lookup_folder;

/* (lookup_folder.c) An unreadable directory counts as empty. */
void cpb_lookup_in_folder(const char *path, cpb_lookup_folder *found);

/* Opens a file that the caller did not name; or, if there are `urls`, a URL, whose beginning or end will be read. NULL
 * with the error set; `*absent` tells whether the file does not exist. */
cpb_file *cpb_lookup_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, bool *absent,
                          cpb_error *error);

#endif

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host/file.h"
#include "host/folder.h"
#include "host/lookup.h"
#include "host/package.h"
#include "host/url/address.h"

static const char *const of_name[] = {"", ".cpb", ".pb", ".index", NULL};

/* Of a package, at `out` and `length`, which is that of its folder and a slash: appends its root model, unless its
 * name, as part of the path, is too long. */
static bool find_root(const cpb_allocator *a, const char *folder, size_t length, const cpb_url_options *urls, char *out,
                      bool *absent, cpb_error *error) {
  char root[CPB_PACKAGE_ROOM], name[3 * CPB_PACKAGE_ROOM];
  cpb_path_replace(folder, length, CPB_PACKAGE_MANIFEST, out);
  cpb_file *manifest = cpb_lookup_open(a, out, urls, absent, error);
  if (!manifest || !cpb_package_root(a, manifest, root)) return false;
  if (!cpb_path_escape(folder, (cpb_span){(const uint8_t *)root, strlen(root)}, name)) return false;
  if (strlen(name) >= CPB_PACKAGE_ROOM) return false;
  cpb_path_replace(folder, length, name, out);
  return true;
}

/* The same of a directory. */
static bool find_root_in(size_t length, char *out) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  bool absent;
  cpb_error ignored = {.code = CPB_OK};
  out[length] = '/';
  out[length + 1] = 0;
  char *folder = cpb_alloc(&a, length + 2);
  bool found = folder && find_root(&a, memcpy(folder, out, length + 2), length + 1, NULL, out, &absent, &ignored);
  cpb_release(&a, folder);
  return found;
}

/* Of a directory with checkpoints: appends the index of the latest, or its one file of version 1, or the only index. */
static bool find_latest_in(size_t length, char *out) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  char name[CPB_LATEST_ROOM];
  bool absent;
  cpb_error ignored = {.code = CPB_OK};
  strcpy(out + length, "/checkpoint");
  cpb_file *file = cpb_lookup_open(&a, out, NULL, &absent, &ignored);
  if (file && cpb_latest_checkpoint(&a, file, name)) {
    cpb_format(out + length, CPB_FIND_MODEL_ROOM, "/%s.index", name);
    if (cpb_lookup_exists(out)) return true;
    cpb_format(out + length, CPB_FIND_MODEL_ROOM, "/%s", name);
    if (cpb_lookup_exists(out)) return true;
  }
  out[length] = 0;
  if (!cpb_lookup_only(out, ".index", name, sizeof name)) return false;
  cpb_format(out + length, CPB_FIND_MODEL_ROOM, "/%s", name);
  return true;
}

int cpb_find_model(const char *path, char *out, size_t size) {
  static const char *const in_directory[] = {"/saved_model.cpb", "/saved_model.pb", NULL};
  const size_t length = strlen(path);
  if (size < length + CPB_FIND_MODEL_ROOM) return 0;
  const bool is_directory = cpb_lookup_is_directory(path);
  const char *const *ending = is_directory ? in_directory : of_name;
  memcpy(out, path, length);
  for (; *ending; ending++) {
    strcpy(out + length, *ending);
    if (cpb_lookup_exists(out)) return 1;
  }
  if (is_directory && (find_root_in(length, out) || find_latest_in(length, out))) return 1;
  out[length] = 0;
  return 1;
}

/* Of a folder with checkpoints the latest one. */
static cpb_file *open_latest(const cpb_allocator *a, const char *url, const cpb_url_options *urls, char *out) {
  static const char *const endings[] = {".index", ""};
  char latest[CPB_LATEST_ROOM], name[CPB_LATEST_ROOM + 8], escaped[3 * sizeof name];
  const size_t length = cpb_path_length(url);
  bool absent = true;
  cpb_error ignored = {.code = CPB_OK};
  cpb_path_replace(url, length, "checkpoint", out);
  cpb_file *file = cpb_lookup_open(a, out, urls, &absent, &ignored);
  if (!file || !cpb_latest_checkpoint(a, file, latest)) return NULL;
  file = NULL;
  for (int i = 0; i < 2 && !file; i++) {
    cpb_format(name, sizeof name, "%s%s", latest, endings[i]);
    if (!cpb_path_escape(url, (cpb_span){(const uint8_t *)name, strlen(name)}, escaped)) return NULL;
    if (strlen(escaped) >= CPB_PACKAGE_ROOM) return NULL;
    cpb_path_replace(url, length, escaped, out);
    file = cpb_lookup_open(a, out, urls, &absent, &ignored);
  }
  return file;
}

/* What is not there is known when it is asked for. */
static cpb_file *find_url(const cpb_allocator *a, const char *url, const cpb_url_options *urls, char *out,
                          cpb_error *error) {
  static const char *const in_folder[] = {"saved_model.cpb", "saved_model.pb", NULL};
  bool is_folder = cpb_path_ends_with(url, "/"), absent = true;
  cpb_file *file = NULL;
  cpb_error first = {.code = CPB_OK};
  for (const char *const *ending = is_folder ? in_folder : of_name; absent && *ending; ending++) {
    cpb_error_begin(error, NULL);
    cpb_path_replace(url, cpb_path_length(url), *ending, out);
    file = cpb_lookup_open(a, out, urls, &absent, error);
    if (first.code == CPB_OK) first = *error;
    if (file) return file;
  }
  if (!absent) return NULL;
  cpb_error_begin(error, NULL);
  if (is_folder && find_root(a, url, cpb_path_length(url), urls, out, &absent, error))
    return cpb_lookup_open(a, out, urls, &absent, error);
  if (is_folder && (file = open_latest(a, url, urls, out))) return file;
  *error = first;
  strcpy(out, url);
  return NULL;
}

cpb_file *cpb_find_and_open(const cpb_allocator *a, const char *path, const cpb_url_options *urls, char *out,
                            size_t size, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  if (size < strlen(path) + CPB_FIND_MODEL_ROOM) {
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "the room for the name has %zu bytes; expected %zu", size,
             strlen(path) + CPB_FIND_MODEL_ROOM);
    return NULL;
  }
  if (urls && cpb_is_url(path)) return find_url(a, path, urls, out, error);
  cpb_find_model(path, out, size);
  return strcmp(out, path) == 0 ? cpb_file_open(a, out, error) : cpb_file_open_beside(a, out, error);
}

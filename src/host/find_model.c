#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cpb/open.h"
#include "host/file.h"
#include "host/lookup.h"
#include "host/package.h"
#include "host/url/address.h"

static const char *const of_name[] = {"", ".cpb", ".pb", NULL};

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
  if (is_directory && find_root_in(length, out)) return 1;
  out[length] = 0;
  return 1;
}

/* Opens the first of a URL with these endings that is there; `*first` is the error of the first. */
static cpb_file *find_ending(const cpb_allocator *a, const char *url, const char *const *endings,
                             const cpb_url_options *urls, char *out, bool *absent, cpb_error *first, cpb_error *error) {
  for (*absent = true; *absent && *endings; endings++) {
    cpb_error_begin(error, NULL);
    cpb_path_replace(url, cpb_path_length(url), *endings, out);
    cpb_file *file = cpb_lookup_open(a, out, urls, absent, error);
    if (file) return file;
    if (first->code == CPB_OK) *first = *error;
  }
  return NULL;
}

/* The root model of the package that a URL may stand for. */
static cpb_file *find_package(const cpb_allocator *a, const char *folder, const cpb_url_options *urls, char *out,
                              bool *absent, cpb_error *error) {
  cpb_error_begin(error, NULL);
  bool found = find_root(a, folder, cpb_path_length(folder), urls, out, absent, error);
  return found ? cpb_lookup_open(a, out, urls, absent, error) : NULL;
}

/* The same without a slash at its end. */
static cpb_file *find_named_package(const cpb_allocator *a, const char *url, const cpb_url_options *urls, char *out,
                                    bool *absent, cpb_error *error) {
  size_t size = strlen(url) + CPB_FIND_MODEL_ROOM;
  char *folder = cpb_alloc(a, size);
  *absent = false;
  if (!folder) {
    cpb_fail_memory(error);
    return NULL;
  }
  cpb_path_replace(url, cpb_path_length(url), "/", folder);
  cpb_file *file = find_package(a, folder, urls, out, absent, error);
  cpb_release(a, folder);
  return file;
}

/* What is not there is known when it is asked for. */
static cpb_file *find_url(const cpb_allocator *given, const char *url, const cpb_url_options *urls, char *out,
                          cpb_error *error) {
  static const char *const in_folder[] = {"saved_model.cpb", "saved_model.pb", NULL};
  const cpb_allocator a = cpb_allocator_or_default(given);
  bool is_folder = cpb_path_ends_with(url, "/"), is_package = cpb_path_ends_with(url, ".mlpackage"), absent;
  cpb_error first = {.code = CPB_OK};
  cpb_file *file = is_package ? find_named_package(&a, url, urls, out, &absent, error) : NULL;
  if (file || error->code == CPB_E_MEMORY) return file;
  file = find_ending(&a, url, is_folder ? in_folder : of_name, urls, out, &absent, &first, error);
  if (file || !absent) return file;
  if (is_folder && (file = find_package(&a, url, urls, out, &absent, error))) return file;
  cpb_error_begin(error, NULL);
  cpb_fail(error, first.code, first.offset, "%s; tried %s", first.message,
           is_folder    ? "saved_model.cpb, saved_model.pb and Manifest.json in it"
           : is_package ? "Manifest.json in it, and .cpb and .pb after its name"
                        : ".cpb and .pb after its name, too");
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

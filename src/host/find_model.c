#include <string.h>

#include "base/status.h"
#include "cpb/open.h"
#include "host/lookup.h"
#include "host/url/address.h"

static const char *const of_name[] = {"", ".cpb", ".pb", NULL};

int cpb_find_model(const char *path, char *out, size_t size) {
  static const char *const in_directory[] = {"/saved_model.cpb", "/saved_model.pb", NULL};
  const size_t length = strlen(path);
  if (size < length + CPB_FIND_MODEL_ROOM) return 0;
  const char *const *ending = cpb_lookup_is_directory(path) ? in_directory : of_name;
  memcpy(out, path, length);
  for (; *ending; ending++) {
    strcpy(out + length, *ending);
    if (cpb_lookup_exists(out)) return 1;
  }
  out[length] = 0;
  return 1;
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
  return cpb_file_open(a, out, error);
}

#include <string.h>

#include "cpb/open.h"
#include "host/lookup.h"

int cpb_find_model(const char *path, char *out, size_t size) {
  static const char *const in_directory[] = {"/saved_model.cpb", "/saved_model.pb", NULL};
  static const char *const of_name[] = {"", ".cpb", ".pb", NULL};
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

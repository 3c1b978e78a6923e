#include "base/file_name.h"

#include <string.h>

static bool is_dots(const char *part, size_t length) {
  return (length == 1 && part[0] == '.') || (length == 2 && part[0] == '.' && part[1] == '.');
}

/* The length of `out` without its last part; SIZE_MAX if it has none. */
static size_t without_last(const char *out, size_t length) {
  if (length == 0) return SIZE_MAX;
  while (length > 0 && out[length - 1] != '/') length--;
  return length > 0 ? length - 1 : 0;
}

static bool is_plain(cpb_span name) {
  if (name.size == 0 || name.data[0] == '/' || memchr(name.data, 0, name.size)) return false;
  for (size_t i = 0; i + 2 < name.size; i++)
    if (memcmp(name.data + i, "://", 3) == 0) return false;
  return memchr(name.data, '\\', name.size) == NULL;
}

bool cpb_file_name_normalize(cpb_span name, char *out) {
  size_t at = 0;
  bool is_file = false;
  if (!is_plain(name)) return false;
  for (size_t begin = 0, end; begin <= name.size; begin = end + 1) {
    for (end = begin; end < name.size && name.data[end] != '/';) end++;
    const char *part = (const char *)name.data + begin;
    const size_t length = end - begin;
    is_file = length > 0 && !is_dots(part, length);
    if (length == 2 && !is_file) at = without_last(out, at);
    if (at == SIZE_MAX) return false;
    if (is_file && at > 0) out[at++] = '/';
    if (is_file) memmove(out + at, part, length);
    if (is_file) at += length;
    out[at] = '\0';
  }
  return is_file;
}

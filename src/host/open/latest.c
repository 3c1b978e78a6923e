#include "host/open/latest.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/status.h"
#include "host/file.h"

#define MOST ((uint64_t)16 << 20) /* it also lists all that were kept */

/* A message in text format: a field is on a line of its own. */
static const uint8_t *find_value(const uint8_t *at, const uint8_t *end) {
  static const char name[] = "model_checkpoint_path:";
  const size_t size = sizeof name - 1;
  while (at && (size_t)(end - at) > size && memcmp(at, name, size) != 0) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  if (!at || (size_t)(end - at) <= size) return NULL;
  at += size;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  return at < end && *at == '"' ? at + 1 : NULL;
}

/* Takes a character of a string, to find its end; false for unsupported ones. */
static bool take(const uint8_t **at, const uint8_t *end, char *out) {
  if (**at == '\\' && *at + 1 < end && !strchr("\\\"'", (*at)[1])) return false;
  if (**at == '\\') ++*at;
  if (*at == end || **at < 0x20) return false;
  *out = (char)*(*at)++;
  return true;
}

/* Nothing that leads out of the folder. */
static bool last_part(const uint8_t *at, const uint8_t *end, char out[CPB_LATEST_ROOM]) {
  size_t size = 0;
  while (at < end && *at != '"') {
    if (size == CPB_LATEST_ROOM - 1 || !take(&at, end, &out[size])) return false;
    size = out[size] == '/' || out[size] == '\\' ? 0 : size + 1;
  }
  out[size] = 0;
  return at < end && size > 0 && strcmp(out, ".") != 0 && strcmp(out, "..") != 0;
}

bool cpb_latest_checkpoint(const cpb_allocator *a, cpb_file *file, char out[CPB_LATEST_ROOM]) {
  size_t size;
  cpb_error ignored = {.code = CPB_OK};
  uint8_t *text = cpb_file_read_all(file, MOST, &size, &ignored);
  const uint8_t *value = text ? find_value(text, text + size) : NULL;
  const bool found = value && last_part(value, text + size, out);
  cpb_release(a, text);
  cpb_file_close(file);
  return found;
}

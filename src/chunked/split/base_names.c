#include "chunked/split/base.h"

#include <string.h>

#include "base/status.h"
#include "base/url_text.h"
#include "chunked/index/metadata.h"

bool cpb_base_name_check(cpb_span name, cpb_error *error) {
  if (cpb_metadata_is_file_name(name)) return true;
  cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
           "the base's name is none; expected 1 to %u bytes of UTF-8 without control characters",
           (unsigned)CPB_FILE_NAME_MAX);
  return false;
}

static size_t folder_of(cpb_span name) {
  size_t length = name.size;
  while (length > 0 && name.data[length - 1] != '/') length--;
  return length;
}

/* --- Paths --------------------------------------------------------------------------- */

/* Removes the last part of the path that begins at `begin`; false if only ".." parts are left. */
static bool remove_part(cpb_buffer *out, size_t begin) {
  size_t at = out->size;
  while (at > begin && out->data[at - 1] != '/') at--;
  const size_t length = out->size - at;
  if (length == 0 || (length == 2 && memcmp(out->data + at, "..", 2) == 0)) return false;
  out->size = at > begin + 1 ? at - 1 : at;
  return true;
}

static bool add_part(cpb_buffer *out, size_t begin, cpb_span part) {
  const bool joins = out->size > begin && out->data[out->size - 1] != '/';
  return (!joins || cpb_buffer_append(out, "/", 1)) && cpb_buffer_append(out, part.data, part.size);
}

/* Appends the parts of a path to the one that begins at `begin`; ".." removes the part before it. */
static bool add_path(cpb_buffer *out, size_t begin, cpb_span path) {
  bool done = true;
  if (path.size > 0 && path.data[0] == '/' && out->size == begin) done = cpb_buffer_append(out, "/", 1);
  for (size_t at = 0; done && at < path.size;) {
    size_t end = at;
    while (end < path.size && path.data[end] != '/') end++;
    const cpb_span part = {path.data + at, end - at};
    const bool stays = part.size == 0 || (part.size == 1 && part.data[0] == '.');
    const bool goes_up = part.size == 2 && memcmp(part.data, "..", 2) == 0;
    if (!stays && !(goes_up && remove_part(out, begin))) done = add_part(out, begin, part);
    at = end + 1;
  }
  return done;
}

/* --- Either -------------------------------------------------------------------------- */

/* The buffer has room, so that `base`, which is at its beginning, does not move. */
static bool join(cpb_buffer *out, cpb_span base, cpb_span name) {
  const size_t begin = out->size, folder = folder_of(base);
  const bool is_url = cpb_url_scheme(base) > 0;
  if (cpb_url_scheme(name) > 0 || (name.data[0] == '/' && !is_url)) return cpb_buffer_append(out, name.data, name.size);
  if (!is_url) return add_path(out, begin, (cpb_span){base.data, folder}) && add_path(out, begin, name);
  if (!cpb_buffer_append(out, base.data, folder)) return false;
  if (cpb_url_has_key(base)) return cpb_buffer_append(out, name.data, name.size);
  out->size += cpb_url_escape(name, (char *)out->data + out->size);
  return true;
}

bool cpb_base_name_add(cpb_buffer *names, size_t base, cpb_span name, cpb_error *error) {
  const size_t begin = names->size;
  const bool in_key = cpb_url_has_key((cpb_span){names->data, base}) && cpb_url_scheme(name) == 0;
  if (in_key && cpb_url_key_length(name) < name.size) {
    cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
             "the base refers to a file by a name in which, in an s3 URL, the ? would begin a query; expected none");
    return false;
  }
  if (!cpb_buffer_reserve(names, begin + base + 3 * name.size + 2) ||
      !join(names, (cpb_span){names->data, base}, name)) {
    cpb_fail_memory(error);
    return false;
  }
  const size_t length = names->size - begin;
  if (length > 0 && length <= CPB_FILE_NAME_MAX) return true;
  cpb_fail(error, CPB_E_LIMIT, CPB_NO_OFFSET,
           "the name of a file that the base refers to has %zu bytes here; expected 1 to %u", length,
           (unsigned)CPB_FILE_NAME_MAX);
  return false;
}

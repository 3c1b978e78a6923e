/* Files that name a model: the manifest of a package, and the list of a folder's checkpoints. */
#include <string.h>

#include "base/alloc.h"
#include "base/file_name.h"
#include "base/json_read.h"
#include "base/status.h"
#include "host/file.h"
#include "host/open/lookup.h"

/* --- Packages ------------------------------------------------------------------------------- */

#define MANIFEST_MOST ((uint64_t)1 << 20) /* it has some hundred bytes */
#define DEPTH 8

static bool root_of(yyjson_val *manifest, char *out) {
  static const char data[] = "Data/";
  cpb_span id, path;
  yyjson_val *items = cpb_json_member(manifest, "itemInfoEntries");
  if (!cpb_json_text(cpb_json_member(manifest, "rootModelIdentifier"), &id)) return false;
  yyjson_val *item = yyjson_is_obj(items) ? yyjson_obj_getn(items, (const char *)id.data, id.size) : NULL;
  if (!cpb_json_text(cpb_json_member(item, "path"), &path) || path.size + sizeof data > CPB_PACKAGE_ROOM) return false;
  memcpy(out, data, sizeof data - 1);
  return cpb_file_name_normalize(path, out + sizeof data - 1);
}

/* Another program may have a file of this name: content of another kind is passed over. */
static void pass_content(cpb_error *error) {
  if (error->code != CPB_E_MEMORY && !cpb_is_of_reading(error)) cpb_error_begin(error, NULL);
}

bool cpb_package_root(const cpb_allocator *a, cpb_file *manifest, char out[CPB_PACKAGE_ROOM], cpb_error *error) {
  size_t size;
  uint8_t *text = cpb_file_read_all(manifest, MANIFEST_MOST, &size, error);
  yyjson_doc *doc = text ? cpb_json_read(a, (cpb_span){text, size}, DEPTH, error) : NULL;
  bool found = doc && root_of(yyjson_doc_get_root(doc), out);
  pass_content(error);
  yyjson_doc_free(doc);
  cpb_release(a, text);
  cpb_file_close(manifest);
  return found;
}

/* --- Checkpoints ---------------------------------------------------------------------------- */

#define LIST_MOST ((uint64_t)16 << 20) /* it also lists all that were kept */

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

/* Nothing that leads out of the folder; empty after a slash at the end, as a prefix "model/" has it. */
static bool last_part(const uint8_t *at, const uint8_t *end, char out[CPB_LATEST_ROOM]) {
  size_t size = 0;
  while (at < end && *at != '"') {
    if (size == CPB_LATEST_ROOM - 1 || !take(&at, end, &out[size])) return false;
    size = out[size] == '/' || out[size] == '\\' ? 0 : size + 1;
  }
  out[size] = 0;
  return at < end && strcmp(out, ".") != 0 && strcmp(out, "..") != 0;
}

bool cpb_latest_checkpoint(const cpb_allocator *a, cpb_file *file, char out[CPB_LATEST_ROOM], cpb_error *error) {
  size_t size;
  uint8_t *text = cpb_file_read_all(file, LIST_MOST, &size, error);
  const uint8_t *value = text ? find_value(text, text + size) : NULL;
  const bool found = value && last_part(value, text + size, out);
  pass_content(error);
  cpb_release(a, text);
  cpb_file_close(file);
  return found;
}

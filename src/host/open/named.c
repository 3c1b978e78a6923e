/* Files that name a model: the manifest of a package, and the list of a folder's checkpoints. */
#include <string.h>

#include "base/alloc.h"
#include "base/file_name.h"
#include "base/json_read.h"
#include "base/status.h"
#include "host/file.h"
#include "host/open/lookup.h"
#include "proto/text/lexer.h"

/* --- Packages ------------------------------------------------------------------------------- */

#define MANIFEST_MOST ((uint64_t)1 << 20) /* it has some hundred bytes */
#define DEPTH 8

static bool root_of(yyjson_val *manifest, char *out, cpb_error *error) {
  static const char data[] = "Data/";
  char shown[80];
  cpb_span id, path;
  yyjson_val *items = cpb_json_member(manifest, "itemInfoEntries");
  if (!cpb_json_text(cpb_json_member(manifest, "rootModelIdentifier"), &id))
    return CPB_FAILS(error, CPB_E_FORMAT, CPB_NO_OFFSET, "rootModelIdentifier is missing; expected a text");
  yyjson_val *item = yyjson_is_obj(items) ? yyjson_obj_getn(items, (const char *)id.data, id.size) : NULL;
  if (!cpb_json_text(cpb_json_member(item, "path"), &path))
    return CPB_FAILS(error, CPB_E_FORMAT, CPB_NO_OFFSET, "itemInfoEntries has no \"path\" for \"%s\", the root model",
                     cpb_quote(shown, sizeof shown, id.data, id.size));
  memcpy(out, data, sizeof data - 1);
  if (path.size + sizeof data <= CPB_PACKAGE_ROOM && cpb_file_name_normalize(path, out + sizeof data - 1)) return true;
  return CPB_FAILS(error, CPB_E_FORMAT, CPB_NO_OFFSET, "path is \"%s\"; expected that of a file in Data",
                   cpb_quote(shown, sizeof shown, path.data, path.size));
}

/* Editors of Windows put a byte order mark before the text. */
static cpb_span without_mark(cpb_span text) {
  const bool has = text.size >= 3 && memcmp(text.data, "\xef\xbb\xbf", 3) == 0;
  return has ? (cpb_span){text.data + 3, text.size - 3} : text;
}

bool cpb_package_root(const cpb_allocator *a, cpb_file *manifest, char out[CPB_PACKAGE_ROOM], cpb_error *error) {
  size_t size;
  uint8_t *text = cpb_file_read_all(manifest, MANIFEST_MOST, &size, error);
  yyjson_doc *doc = text ? cpb_json_read(a, without_mark((cpb_span){text, size}), DEPTH, error) : NULL;
  bool found = doc && root_of(yyjson_doc_get_root(doc), out, error);
  const cpb_error why = *error;
  if (cpb_is_of_content(&why)) cpb_error_begin(error, NULL);
  if (cpb_is_of_content(&why))
    cpb_fail(error, CPB_E_FORMAT, CPB_NO_OFFSET, "its Manifest.json names no model: %s", why.message);
  yyjson_doc_free(doc);
  cpb_release(a, text);
  cpb_file_close(manifest);
  return found;
}

/* --- Checkpoints ---------------------------------------------------------------------------- */

#define LIST_MOST ((uint64_t)16 << 20) /* it also lists all that were kept */

/* Returns the place after the field's name, or NULL. The message in text format has each field on a line of its own. */
static const uint8_t *find_value(const uint8_t *at, const uint8_t *end) {
  static const char name[] = "model_checkpoint_path:";
  const size_t size = sizeof name - 1;
  while (at && (size_t)(end - at) > size && memcmp(at, name, size) != 0) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  return at && (size_t)(end - at) > size ? at + size : NULL;
}

/* Takes the name after the last slash, or after a backslash of another system, since the folder may have moved. */
static bool last_part(cpb_span path, char out[CPB_LATEST_ROOM]) {
  const uint8_t *begin = path.data + path.size;
  while (begin > path.data && begin[-1] != '/' && begin[-1] != '\\') begin--;
  const size_t size = (size_t)(path.data + path.size - begin);
  if (size >= CPB_LATEST_ROOM) return false;
  for (size_t i = 0; i < size; i++)
    if (begin[i] < 0x20) return false;
  if (size > 0) memcpy(out, begin, size);
  out[size] = 0;
  return strcmp(out, ".") != 0 && strcmp(out, "..") != 0;
}

static bool read_latest(const cpb_allocator *a, const char *value, const char *end, char out[CPB_LATEST_ROOM],
                        cpb_error *error) {
  cpb_text_lexer lexer = {value, value, end, error};
  cpb_buffer path;
  cpb_buffer_init(&path, a);
  const bool found = cpb_text_string(&lexer, &path) && last_part((cpb_span){path.data, path.size}, out);
  cpb_buffer_free(&path);
  return found;
}

bool cpb_latest_checkpoint(const cpb_allocator *a, cpb_file *file, char out[CPB_LATEST_ROOM], cpb_error *error) {
  size_t size;
  uint8_t *text = cpb_file_read_all(file, LIST_MOST, &size, error);
  const uint8_t *value = text ? find_value(text, text + size) : NULL;
  const bool found = value && read_latest(a, (const char *)value, (const char *)text + size, out, error);
  if (cpb_is_of_content(error)) cpb_error_begin(error, NULL); /* another program may have a file of this name */
  cpb_release(a, text);
  cpb_file_close(file);
  return found;
}

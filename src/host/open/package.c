#include "host/open/package.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file_name.h"
#include "base/json_read.h"
#include "base/status.h"

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

bool cpb_package_root(const cpb_allocator *a, cpb_file *manifest, char out[CPB_PACKAGE_ROOM]) {
  size_t size;
  cpb_error ignored = {.code = CPB_OK};
  uint8_t *text = cpb_file_read_all(manifest, MANIFEST_MOST, &size, &ignored);
  yyjson_doc *doc = text ? cpb_json_read(a, (cpb_span){text, size}, DEPTH, &ignored) : NULL;
  bool found = doc && root_of(yyjson_doc_get_root(doc), out);
  yyjson_doc_free(doc);
  cpb_release(a, text);
  cpb_file_close(manifest);
  return found;
}

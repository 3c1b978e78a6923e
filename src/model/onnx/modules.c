#include "model/onnx/modules.h"

#include "model/onnx/fields.h"

static cpb_span metadata(cpb_span node, const char *key) {
  cpb_span value = {NULL, 0};
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_METADATA, CPB_WIRE_LEN)) {
    if (cpb_span_is(cpb_get_bytes(c.bytes, ENTRY_KEY), key)) value = cpb_get_bytes(c.bytes, ENTRY_VALUE);
  }
  return value;
}

/* The next text of a list such as ['', "a"]; false at its end. */
static bool next_text(const uint8_t **at, const uint8_t *end, cpb_span *text) {
  while (*at < end && **at != '\'' && **at != '"') ++*at;
  if (*at == end) return false;
  const uint8_t quote = *(*at)++, *begin = *at;
  while (*at < end && **at != quote) *at += **at == '\\' && *at + 1 < end ? 2 : 1;
  if (*at >= end) return false;
  *text = (cpb_span){begin, (size_t)(*at - begin)};
  ++*at;
  return true;
}

/* The last but one; false of a list of fewer. */
static bool last_but_one(cpb_span list, cpb_span *text) {
  cpb_span last = {NULL, 0};
  const uint8_t *at = list.data, *end = at ? at + list.size : NULL;
  size_t count = 0;
  for (cpb_span one; at && next_text(&at, end, &one); count++) {
    *text = last;
    last = one;
  }
  return count >= 2;
}

bool cpb_onnx_module(const cpb_view_node *node, cpb_span *path, cpb_span *class_name) {
  cpb_span module, of_class;
  if (!last_but_one(metadata(node->message, "pkg.torch.onnx.name_scopes"), &module) ||
      !last_but_one(metadata(node->message, "pkg.torch.onnx.class_hierarchy"), &of_class))
    return false;
  *path = module.size > 0 ? module : of_class;
  *class_name = of_class;
  return true;
}

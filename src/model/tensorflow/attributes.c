#include "model/tensorflow/view.h"

#include "base/floats.h"
#include "base/status.h"
#include "model/common/answer.h"
#include "model/common/lists.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"

/* An AttrValue is a oneof: if a file has several of its fields, protobuf lets the last one count, and so does this.
 * A value that the outline left out is written as its range in the file, never read for the answer. */

static const char *attr_kind_name(uint32_t number) {
  static const char *const names[] = {
      [ATTR_LIST] = "list",        [ATTR_STRING] = "string", [ATTR_INT] = "int",
      [ATTR_FLOAT] = "float",      [ATTR_BOOL] = "bool",     [ATTR_TYPE] = "type",
      [ATTR_SHAPE] = "shape",      [ATTR_TENSOR] = "tensor", [ATTR_PLACEHOLDER] = "placeholder",
      [ATTR_FUNCTION] = "function"};
  return number < sizeof names / sizeof *names ? names[number] : NULL;
}

static void write_bytes(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span bytes) {
  if (cpb_part_omits(part, bytes)) cpb_write_omitted(a, key, part, bytes);
  else cpb_json_writer_span(a, key, bytes);
}

static void write_function(cpb_json_writer *a, const char *key, cpb_span name_attrs) {
  size_t attrs = cpb_count_bytes(name_attrs, NAME_ATTRS_ATTR);
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_span(a, "function", cpb_get_bytes(name_attrs, NAME_ATTRS_NAME));
  if (attrs > 0) cpb_json_writer_unsigned(a, "attributes", attrs);
  cpb_json_writer_close(a, '}');
}

/* A number, of an attribute or an element of one. */
static void write_number(cpb_json_writer *a, const char *key, uint32_t kind, uint64_t value) {
  switch (kind) {
    case ATTR_FLOAT: cpb_json_writer_float(a, key, cpb_float_of((uint32_t)value)); break;
    case ATTR_BOOL: cpb_json_writer_bool(a, key, value != 0); break;
    case ATTR_TYPE: cpb_write_dtype(a, key, value); break;
    default: cpb_json_writer_exact(a, key, (int64_t)value); break;
  }
}

static void write_message(cpb_json_writer *a, const char *key, const cpb_part *part, uint32_t kind, cpb_span bytes) {
  if (kind == ATTR_SHAPE && !cpb_part_omits(part, bytes)) {
    cpb_write_shape(a, key, bytes);
  } else if (kind == ATTR_TENSOR) {
    cpb_tensor tensor = cpb_tensor_of(part, bytes);
    cpb_json_writer_open(a, key, '{');
    cpb_write_tensor(a, &tensor);
    cpb_json_writer_close(a, '}');
  } else if (kind == ATTR_FUNCTION) {
    write_function(a, key, bytes);
  } else {
    write_bytes(a, key, part, bytes);
  }
}

static bool is_number(uint32_t kind) { return kind >= ATTR_INT && kind <= ATTR_TYPE; }

/* Floats lie packed in four bytes each, the others as varints. */
static void write_packed(cpb_json_writer *a, uint32_t kind, cpb_span packed) {
  uint64_t value;
  while (cpb_packed_next(&packed, kind == ATTR_FLOAT, &value)) write_number(a, NULL, kind, value);
}

static void write_list(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span list) {
  cpb_cursor c = cpb_cursor_of(list);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_next(&c)) {
    uint32_t kind = c.number == ATTR_LIST_FUNCTION ? ATTR_FUNCTION : c.number;
    if (c.type != CPB_WIRE_LEN) write_number(a, NULL, kind, c.value);
    else if (!is_number(kind)) write_message(a, NULL, part, kind, c.bytes);
    else if (cpb_part_omits(part, c.bytes)) cpb_write_omitted(a, NULL, part, c.bytes);
    else write_packed(a, kind, c.bytes);
  }
  cpb_json_writer_close(a, ']');
}

/* An AttrValue as members "kind" and "value". */
static void write_attr(cpb_json_writer *a, const cpb_part *part, cpb_span value) {
  cpb_cursor c = cpb_cursor_of(value), last = {.number = 0};
  while (cpb_cursor_next(&c))
    if (attr_kind_name(c.number)) last = c;
  if (last.number == 0) {
    cpb_json_writer_null(a, "kind");
    cpb_json_writer_null(a, "value");
    return;
  }
  cpb_json_writer_text(a, "kind", attr_kind_name(last.number));
  if (last.type != CPB_WIRE_LEN) write_number(a, "value", last.number, last.value);
  else if (last.number == ATTR_LIST) write_list(a, "value", part, last.bytes);
  else write_message(a, "value", part, last.number, last.bytes);
}

void cpb_write_attrs(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span message, uint32_t number) {
  cpb_entries entries;
  if (!cpb_entries_read(&entries, &a->out.allocator, message, number)) {
    a->failed = true;
    return;
  }
  cpb_json_writer_open(a, key, '[');
  for (size_t i = 0; i < entries.count; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "name", entries.items[i].key);
    write_attr(a, part, entries.items[i].value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  cpb_entries_free(&entries);
}

#include "model/tensorflow/json.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/common/entries.h"
#include "model/tensorflow/fields.h"

/* --- Types and shapes ----------------------------------------------------------- */

static const struct {
  const char *name;
  unsigned bits;
} dtypes[] = {{"invalid", 0},
              {"float32", 32},
              {"float64", 64},
              {"int32", 32},
              {"uint8", 8},
              {"int16", 16},
              {"int8", 8},
              {"string", 0},
              {"complex64", 64},
              {"int64", 64},
              {"bool", 8},
              {"qint8", 8},
              {"quint8", 8},
              {"qint32", 32},
              {"bfloat16", 16},
              {"qint16", 16},
              {"quint16", 16},
              {"uint16", 16},
              {"complex128", 128},
              {"float16", 16},
              {"resource", 0},
              {"variant", 0},
              {"uint32", 32},
              {"uint64", 64},
              {"float8_e5m2", 8},
              {"float8_e4m3fn", 8},
              {"float8_e4m3fnuz", 8},
              {"float8_e4m3b11fnuz", 8},
              {"float8_e5m2fnuz", 8},
              {"int4", 4},
              {"uint4", 4},
              {"int2", 2},
              {"uint2", 2},
              {"float4_e2m1fn", 4}};
#define NUM_DTYPES (sizeof dtypes / sizeof *dtypes)
#define REF 100 /* from a dtype to that of a reference to it */

unsigned cpb_dtype_bits(uint64_t dtype) {
  if (dtype > REF) dtype -= REF;
  return dtype < NUM_DTYPES ? dtypes[dtype].bits : 0;
}

void cpb_dtype_name(uint64_t dtype, char *out, size_t size) {
  if (dtype < NUM_DTYPES) cpb_format(out, size, "%s", dtypes[dtype].name);
  else if (dtype > REF && dtype - REF < NUM_DTYPES) cpb_format(out, size, "%s_ref", dtypes[dtype - REF].name);
  else cpb_format(out, size, "dtype %llu", (unsigned long long)dtype);
}

void cpb_write_dtype(cpb_json_writer *a, const char *key, uint64_t dtype) {
  char text[CPB_DTYPE_NAME];
  cpb_dtype_name(dtype, text, sizeof text);
  cpb_json_writer_text(a, key, text);
}

cpb_span cpb_get_shape(cpb_span message, uint32_t number) {
  cpb_span shape = cpb_get_bytes(message, number);
  return shape.data ? shape : (cpb_span){message.data, 0};
}

bool cpb_shape_elements(cpb_span shape, uint64_t *elements) {
  *elements = 1;
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return false;
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    uint64_t size = cpb_get_number(c.bytes, DIM_SIZE);
    if ((int64_t)size < 0 || !cpb_mul_u64(*elements, size, elements)) return false;
  }
  return true;
}

void cpb_write_shape(cpb_json_writer *a, const char *key, cpb_span shape) {
  if (!shape.data || cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) {
    cpb_json_writer_null(a, key);
    return;
  }
  cpb_json_writer_open(a, key, '[');
  cpb_cursor c = cpb_cursor_of(shape);
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    int64_t size = (int64_t)cpb_get_number(c.bytes, DIM_SIZE);
    if (size < 0) cpb_json_writer_null(a, NULL);
    else cpb_json_writer_signed(a, NULL, size);
  }
  cpb_json_writer_close(a, ']');
}

void cpb_write_strings(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) cpb_json_writer_span(a, NULL, c.bytes);
  cpb_json_writer_close(a, ']');
}

/* --- Tensors ---------------------------------------------------------------------- */

static const char *const value_fields[] = {[TENSOR_CONTENT] = "tensor_content",
                                           [TENSOR_FLOATS] = "float_val",
                                           [TENSOR_DOUBLES] = "double_val",
                                           [TENSOR_INTS] = "int_val",
                                           [TENSOR_STRINGS] = "string_val",
                                           [TENSOR_COMPLEX64] = "scomplex_val",
                                           [TENSOR_INT64] = "int64_val",
                                           [TENSOR_BOOLS] = "bool_val",
                                           [TENSOR_COMPLEX128] = "dcomplex_val",
                                           [TENSOR_HALVES] = "half_val",
                                           [TENSOR_RESOURCES] = "resource_handle_val",
                                           [TENSOR_VARIANTS] = "variant_val",
                                           [TENSOR_UINT32] = "uint32_val",
                                           [TENSOR_UINT64] = "uint64_val",
                                           [TENSOR_FLOAT8] = "float8_val"};

const char *cpb_tensor_field_name(uint32_t field) {
  return field < sizeof value_fields / sizeof *value_fields ? value_fields[field] : NULL;
}

/* Numbers that are not packed lie apart; they are short, and only counted. */
static void add_values(cpb_tensor *t, const cpb_part *part, const cpb_cursor *c) {
  cpb_range where = c->type == CPB_WIRE_LEN ? cpb_part_where(part, c->bytes) : (cpb_range){CPB_NO_OFFSET, 1};
  if (where.length == 0) return;
  if (t->parts++ == 0) {
    t->field = c->number;
    t->values = where;
  }
  t->size += where.length;
}

cpb_tensor cpb_tensor_of(const cpb_part *part, cpb_span message) {
  cpb_tensor t = {.tensor = cpb_part_where(part, message), .values.offset = CPB_NO_OFFSET};
  if (cpb_part_omits(part, message)) t.size = t.tensor.length;
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {
    if (c.number == TENSOR_DTYPE) t.dtype = c.value;
    else if (c.number == TENSOR_SHAPE) t.shape = c.bytes;
    else if (cpb_tensor_field_name(c.number)) add_values(&t, part, &c);
  }
  if (!t.shape.data) t.shape = (cpb_span){message.data, 0};
  return t;
}

static void write_range(cpb_json_writer *a, const char *key, cpb_range range) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "offset", range.offset);
  cpb_json_writer_unsigned(a, "size", range.length);
  cpb_json_writer_close(a, '}');
}

void cpb_write_tensor(cpb_json_writer *a, const cpb_tensor *t) {
  cpb_write_dtype(a, "dtype", t->dtype);
  cpb_write_shape(a, "shape", t->shape);
  cpb_json_writer_unsigned(a, "size", t->size);
  if (t->field) cpb_json_writer_text(a, "field", cpb_tensor_field_name(t->field));
  if (t->parts == 1 && t->values.offset != CPB_NO_OFFSET) write_range(a, "values", t->values);
  if (t->tensor.offset != CPB_NO_OFFSET) write_range(a, "tensor", t->tensor);
}

/* --- Attributes ------------------------------------------------------------------- */

static const struct {
  uint32_t number;
  const char *name;
} attr_kinds[] = {{ATTR_LIST, "list"},        {ATTR_STRING, "string"}, {ATTR_INT, "int"},
                  {ATTR_FLOAT, "float"},      {ATTR_BOOL, "bool"},     {ATTR_TYPE, "type"},
                  {ATTR_SHAPE, "shape"},      {ATTR_TENSOR, "tensor"}, {ATTR_PLACEHOLDER, "placeholder"},
                  {ATTR_FUNCTION, "function"}};

static const char *attr_kind_name(uint32_t number) {
  for (size_t i = 0; i < sizeof attr_kinds / sizeof *attr_kinds; i++) {
    if (attr_kinds[i].number == number) return attr_kinds[i].name;
  }
  return NULL;
}

static void write_omitted(cpb_json_writer *a, const char *key, cpb_range range) {
  cpb_json_writer_open(a, key, '{');
  write_range(a, "omitted", range);
  cpb_json_writer_close(a, '}');
}

static void write_bytes(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span bytes) {
  if (cpb_part_omits(part, bytes)) write_omitted(a, key, cpb_part_where(part, bytes));
  else cpb_json_writer_span(a, key, bytes);
}

#define EXACT ((int64_t)1 << 53) /* beyond, a reader of JSON may round */

static void write_int(cpb_json_writer *a, const char *key, int64_t value) {
  char text[24];
  if (value >= -EXACT && value <= EXACT) {
    cpb_json_writer_signed(a, key, value);
    return;
  }
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  cpb_format(text, sizeof text, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude);
  cpb_json_writer_text(a, key, text);
}

static void write_float(cpb_json_writer *a, const char *key, uint64_t bits) {
  uint32_t low = (uint32_t)bits;
  float value;
  memcpy(&value, &low, sizeof value);
  cpb_json_writer_float(a, key, value);
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
    case ATTR_FLOAT: write_float(a, key, value); break;
    case ATTR_BOOL: cpb_json_writer_bool(a, key, value != 0); break;
    case ATTR_TYPE: cpb_write_dtype(a, key, value); break;
    default: write_int(a, key, (int64_t)value); break;
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
  const uint8_t *at = packed.data, *end = packed.data + packed.size;
  while (at && at < end) {
    uint64_t value;
    if (kind == ATTR_FLOAT) {
      if (end - at < 4) break;
      value = cpb_load32(at);
      at += 4;
    } else {
      at = cpb_varint_read(at, end, &value);
      if (!at) break;
    }
    write_number(a, NULL, kind, value);
  }
}

static void write_list(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span list) {
  cpb_cursor c = cpb_cursor_of(list);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_next(&c)) {
    uint32_t kind = c.number == ATTR_LIST_FUNCTION ? ATTR_FUNCTION : c.number;
    if (c.type != CPB_WIRE_LEN) write_number(a, NULL, kind, c.value);
    else if (!is_number(kind)) write_message(a, NULL, part, kind, c.bytes);
    else if (cpb_part_omits(part, c.bytes)) write_omitted(a, NULL, cpb_part_where(part, c.bytes));
    else write_packed(a, kind, c.bytes);
  }
  cpb_json_writer_close(a, ']');
}

void cpb_write_attr(cpb_json_writer *a, const cpb_part *part, cpb_span value) {
  cpb_cursor c = cpb_cursor_of(value), last = {.number = 0};
  while (cpb_cursor_next(&c)) {
    if (attr_kind_name(c.number)) last = c;
  }
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
    cpb_write_attr(a, part, entries.items[i].value);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
  cpb_entries_free(&entries);
}

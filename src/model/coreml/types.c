#include "model/coreml/model.h"

#include "base/status.h"
#include "model/coreml/fields.h"

/* --- Features -------------------------------------------------------------------------------- */

/* [least, most] of a SizeRange. */
static void write_range(cpb_json_writer *a, cpb_span range) {
  const int64_t most = (int64_t)cpb_get_number(range, RANGE_UPPER);
  cpb_json_writer_open(a, NULL, '[');
  cpb_json_writer_exact_unsigned(a, NULL, cpb_get_number(range, RANGE_LOWER));
  if (most < 0) cpb_json_writer_null(a, NULL);
  else cpb_json_writer_exact(a, NULL, most);
  cpb_json_writer_close(a, ']');
}

/* Writes a dimension: its size, "1..10", or "1.." without an upper bound. */
static void write_dimension(cpb_json_writer *a, cpb_span range) {
  char text[64];
  const uint64_t least = cpb_get_number(range, RANGE_LOWER);
  const int64_t most = (int64_t)cpb_get_number(range, RANGE_UPPER);
  if (most >= 0 && (uint64_t)most == least) {
    cpb_json_writer_exact(a, NULL, most);
    return;
  }
  size_t size = cpb_format(text, sizeof text, "%llu..", (unsigned long long)least);
  if (most >= 0) cpb_format(text + size, sizeof text - size, "%lld", (long long)most);
  cpb_json_writer_text(a, NULL, text);
}

static void write_ranges(cpb_json_writer *a, const char *key, cpb_span ranges,
                         void (*write)(cpb_json_writer *a, cpb_span range)) {
  cpb_cursor c = cpb_cursor_of(ranges);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, 1, CPB_WIRE_LEN)) write(a, c.bytes);
  cpb_json_writer_close(a, ']');
}

/* An array without sizes may have any shape; a single number is an array of one. */
static void write_array(cpb_json_writer *a, cpb_span array) {
  const cpb_span shapes = cpb_get_bytes(array, ARRAY_SHAPES), ranges = cpb_get_bytes(array, ARRAY_RANGE);
  cpb_coreml_write_dtype(a, "dtype", cpb_coreml_array_dtype(cpb_get_number(array, ARRAY_TYPE)));
  if (ranges.data && !shapes.data) write_ranges(a, "shape", ranges, write_dimension);
  else if (cpb_count_varints(array, ARRAY_SHAPE) == 0) cpb_json_writer_null(a, "shape");
  else cpb_write_varints(a, "shape", array, ARRAY_SHAPE);
  if (shapes.data) {
    cpb_cursor c = cpb_cursor_of(shapes);
    cpb_json_writer_open(a, "shapes", '[');
    while (cpb_cursor_find(&c, 1, CPB_WIRE_LEN)) cpb_write_varints(a, NULL, c.bytes, 1);
    cpb_json_writer_close(a, ']');
  } else if (ranges.data) {
    write_ranges(a, "ranges", ranges, write_range);
  }
}

bool cpb_coreml_has_shape(cpb_span type) {
  const cpb_span array = cpb_get_bytes(type, FEATURE_ARRAY);
  return !array.data || cpb_count_varints(array, ARRAY_SHAPE) > 0 || cpb_get_bytes(array, ARRAY_RANGE).data;
}

static const char *color_of(uint64_t color) {
  switch (color) {
    case 10: return "gray";
    case 20: return "rgb";
    case 30: return "bgr";
    case 40: return "gray_float16";
    default: return "unknown";
  }
}

/* Sizes of images are [width, height]. */
static void write_image(cpb_json_writer *a, cpb_span image) {
  const cpb_span sizes = cpb_get_bytes(image, IMAGE_SIZES), range = cpb_get_bytes(image, IMAGE_RANGE);
  cpb_json_writer_text(a, "color", color_of(cpb_get_number(image, IMAGE_COLOR)));
  cpb_json_writer_exact(a, "width", (int64_t)cpb_get_number(image, IMAGE_WIDTH));
  cpb_json_writer_exact(a, "height", (int64_t)cpb_get_number(image, IMAGE_HEIGHT));
  if (sizes.data) {
    cpb_cursor c = cpb_cursor_of(sizes);
    cpb_json_writer_open(a, "sizes", '[');
    while (cpb_cursor_find(&c, IMAGE_SIZE, CPB_WIRE_LEN)) {
      cpb_json_writer_open(a, NULL, '[');
      cpb_json_writer_exact_unsigned(a, NULL, cpb_get_number(c.bytes, IMAGE_WIDTH));
      cpb_json_writer_exact_unsigned(a, NULL, cpb_get_number(c.bytes, IMAGE_HEIGHT));
      cpb_json_writer_close(a, ']');
    }
    cpb_json_writer_close(a, ']');
  } else if (range.data) {
    cpb_json_writer_open(a, "ranges", '[');
    write_range(a, cpb_get_bytes(range, IMAGE_RANGE_WIDTH));
    write_range(a, cpb_get_bytes(range, IMAGE_RANGE_HEIGHT));
    cpb_json_writer_close(a, ']');
  }
}

static void write_number(cpb_json_writer *a, uint64_t dtype) {
  cpb_coreml_write_dtype(a, "dtype", dtype);
  cpb_json_writer_open(a, "shape", '[');
  cpb_json_writer_close(a, ']');
}

static void write_other(cpb_json_writer *a, const cpb_cursor *c) {
  static const char *const names[] = {[FEATURE_IMAGE] = "image",
                                      [FEATURE_DICTIONARY] = "map",
                                      [FEATURE_SEQUENCE] = "sequence",
                                      [FEATURE_STATE] = "state"};
  const bool is_int = cpb_get_bytes(c->bytes, 1).data != NULL; /* DICTIONARY_INT64, SEQUENCE_INT64 */
  cpb_json_writer_open(a, "type", '{');
  cpb_json_writer_open(a, names[c->number], '{');
  switch (c->number) {
    case FEATURE_IMAGE: write_image(a, c->bytes); break;
    case FEATURE_DICTIONARY: cpb_json_writer_text(a, "key", is_int ? "int64" : "string"); break;
    case FEATURE_SEQUENCE: write_number(a, is_int ? MIL_INT64 : MIL_STRING); break;
    default: write_array(a, cpb_get_bytes(c->bytes, 1)); break;
  }
  cpb_json_writer_close(a, '}');
  cpb_json_writer_close(a, '}');
}

/* Writes members of an object. Arrays and numbers have "dtype" and "shape". The shape is a list of sizes, where a
 * flexible one is "1..10" or "1..", or null if unspecified. An array with several possible sizes has "shapes", a list
 * of shapes, or "ranges", a list of [least, most], where most may be null. Others have "type": {"image": {"color",
 * "width", "height"}}, and so on. If several fields give the type, the last counts, as in parsers. */
static void write_feature_type(cpb_json_writer *a, cpb_span type) {
  cpb_cursor c = cpb_cursor_of(type), last = {.number = 0};
  while (cpb_cursor_next(&c))
    if (c.type == CPB_WIRE_LEN && c.number <= FEATURE_STATE) last = c;
  switch (last.number) {
    case 0: write_number(a, 0); break;
    case FEATURE_INT64: write_number(a, MIL_INT64); break;
    case FEATURE_DOUBLE: write_number(a, MIL_FLOAT64); break;
    case FEATURE_STRING: write_number(a, MIL_STRING); break;
    case FEATURE_ARRAY: write_array(a, last.bytes); break;
    default: write_other(a, &last); break;
  }
  if (cpb_get_number(type, FEATURE_OPTIONAL)) cpb_json_writer_bool(a, "optional", true);
}

/* --- Values of programs ------------------------------------------------------------------------- */

static void write_tensor(cpb_json_writer *a, cpb_span type) {
  cpb_cursor c = cpb_cursor_of(type);
  cpb_coreml_write_dtype(a, "dtype", cpb_get_number(type, TENSOR_TYPE));
  if ((int64_t)cpb_get_number(type, TENSOR_RANK) < 0) {
    cpb_json_writer_null(a, "shape");
    return;
  }
  cpb_json_writer_open(a, "shape", '[');
  while (cpb_cursor_find(&c, TENSOR_DIMENSION, CPB_WIRE_LEN)) {
    const cpb_span size = cpb_get_bytes(c.bytes, DIMENSION_CONSTANT);
    if (size.data) cpb_json_writer_exact_unsigned(a, NULL, cpb_get_number(size, DIMENSION_SIZE));
    else cpb_json_writer_null(a, NULL);
  }
  cpb_json_writer_close(a, ']');
}

/* Keys are tensors without a meaningful shape. */
static void write_key(cpb_json_writer *a, cpb_span type) {
  cpb_coreml_write_dtype(a, "key", cpb_get_number(cpb_get_bytes(type, MIL_TENSOR), TENSOR_TYPE));
}

/* Replaces a type that holds another one by the inner type. Opens the objects around it, and returns how many. */
static unsigned enter(cpb_json_writer *a, cpb_span *type) {
  const cpb_span list = cpb_get_bytes(*type, MIL_LIST), state = cpb_get_bytes(*type, MIL_STATE);
  const cpb_span dictionary = cpb_get_bytes(*type, MIL_DICTIONARY);
  if (!list.data && !state.data && !dictionary.data) return 0;
  cpb_json_writer_open(a, "type", '{');
  cpb_json_writer_open(a, dictionary.data ? "map" : list.data ? "list" : "state", '{');
  *type = cpb_get_bytes(list.data ? list : state, 1);
  if (!dictionary.data) return 2;
  write_key(a, cpb_get_bytes(dictionary, 1));
  cpb_json_writer_open(a, "value", '{');
  *type = cpb_get_bytes(dictionary, 2);
  return 3;
}

/* Types may be nested to any depth, so this is a loop and not recursion. */
static void write_mil_type(cpb_json_writer *a, cpb_span type) {
  unsigned opened, open = 0;
  while ((opened = enter(a, &type)) > 0) open += opened;
  const cpb_span tuple = cpb_get_bytes(type, MIL_TUPLE);
  if (tuple.data) {
    cpb_json_writer_open(a, "type", '{');
    cpb_json_writer_unsigned(a, "tuple", cpb_count_bytes(tuple, 1));
    cpb_json_writer_close(a, '}');
  } else {
    write_tensor(a, cpb_get_bytes(type, MIL_TENSOR));
  }
  while (open-- > 0) cpb_json_writer_close(a, '}');
}

void cpb_coreml_write_feature(cpb_json_writer *a, cpb_span feature, cpb_span made) {
  const cpb_span text = cpb_get_bytes(feature, FEATURE_TEXT);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", cpb_get_bytes(feature, FEATURE_NAME));
  if (made.data) write_mil_type(a, made);
  else write_feature_type(a, cpb_get_bytes(feature, FEATURE_TYPE));
  if (text.size > 0) cpb_json_writer_span(a, "doc", text);
  cpb_json_writer_close(a, '}');
}

void cpb_coreml_write_value_type(cpb_json_writer *a, const cpb_view_value *value) {
  if (!value->type.data) return;
  if (value->is_feature) write_feature_type(a, value->type);
  else write_mil_type(a, value->type);
}

#include "model/common/tensor/values.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/tensor/fields.h"
#include "model/common/tensor/scan.h"
#include "model/common/tensor/texts.h"

#define MOST_SHAPE ((uint64_t)64 << 10)

enum { LOOK, SHAPE, MEASURE, VALUES, FILL, TEXTS };

bool cpb_tensor_values_init(cpb_tensor_values *v, const cpb_allocator *a, cpb_input *input, cpb_error *error,
                            cpb_range tensor, bool exact_texts) {
  *v = (cpb_tensor_values){
      .allocator = *a, .input = input, .error = error, .tensor = tensor, .exact_texts = exact_texts};
  cpb_buffer_init(&v->shape_message, a);
  cpb_tensor_scan_begin(v, tensor.offset, tensor.offset + tensor.length);
  v->out = cpb_alloc(a, CPB_TENSOR_OUT);
  return v->out != NULL;
}

void cpb_tensor_values_free(cpb_tensor_values *v) {
  if (v->scan.scanner.allocator) cpb_wire_free(&v->scan.scanner);
  cpb_buffer_free(&v->shape_message);
  cpb_release(&v->allocator, v->out);
}

static cpb_have damaged(cpb_tensor_values *v, uint64_t offset, const char *what) {
  cpb_fail(v->error, CPB_E_DAMAGED, offset, "%s", what);
  return CPB_FAILED;
}

/* --- Fields of the TensorProto ------------------------------------------------------------------ */

static void note_field(cpb_tensor_values *v, const cpb_wire_field *f) {
  uint64_t base = v->scan.base;
  cpb_range value = {base + f->value, f->size};
  bool bytes = f->type == CPB_WIRE_LEN;
  if (f->number == TENSOR_DTYPE && f->type == CPB_WIRE_VARINT) v->dtype = f->number_value;
  else if (f->number == TENSOR_SHAPE && bytes) v->shape_at = value;
  else if (f->number == TENSOR_CONTENT && bytes) v->content = value;
  if (f->number >= CPB_TENSOR_FIELDS) return;
  if (v->ends[f->number] == 0) v->begins[f->number] = base + f->begin;
  v->ends[f->number] = value.offset + value.length;
}

static cpb_have describe(cpb_tensor_values *v) {
  v->format = cpb_tensor_format_of(v->dtype);
  cpb_dtype_name(v->dtype, v->dtype_name, sizeof v->dtype_name);
  if (v->format) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_UNSUPPORTED, v->tensor.offset, "values of type %s are not supported", v->dtype_name);
  return CPB_FAILED;
}

static cpb_have look(cpb_tensor_values *v) {
  cpb_wire_event event;
  cpb_have have;
  while ((have = cpb_tensor_scan_next(v, &event)) == CPB_HAVE && event != CPB_WIRE_END) {
    if (event == CPB_WIRE_FIELD) note_field(v, &v->scan.scanner.field);
  }
  return have == CPB_HAVE ? describe(v) : have;
}

/* --- The shape ------------------------------------------------------------------------ */

static cpb_have read_dimensions(cpb_tensor_values *v, cpb_span shape) {
  uint64_t at = v->shape_at.offset;
  cpb_cursor c = cpb_cursor_of(shape);
  if (cpb_get_number(shape, SHAPE_UNKNOWN_RANK))
    return damaged(v, at, "tensor_shape.unknown_rank is true; expected a known shape");
  v->count = 1;
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN)) {
    uint64_t size = cpb_get_number(c.bytes, DIM_SIZE);
    if ((int64_t)size < 0) return damaged(v, at, "tensor_shape has a negative size; expected a known shape");
    if (v->rank == CPB_TENSOR_RANK_MAX)
      return damaged(v, at, "tensor_shape has more than 254 dimensions, TensorFlow's limit");
    if (!cpb_mul_u64(v->count, size, &v->count)) return damaged(v, at, "tensor_shape has 2^64 elements or more");
    v->shape[v->rank++] = size;
  }
  return c.damaged ? damaged(v, at, "tensor_shape cannot be parsed") : CPB_HAVE;
}

/* tensor_content must have every element; the typed fields (float_val and so on) may leave out
 * the last ones that are equal. */
static cpb_have check_size(cpb_tensor_values *v) {
  if (!cpb_mul_u64(v->count, v->format->size, &v->size))
    return damaged(v, v->shape_at.offset, "tensor_shape has 2^64 bytes or more");
  if (v->content.length == 0 || v->content.length == v->size) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_DAMAGED, v->content.offset, "tensor_content has %llu bytes; expected %llu by shape and type",
           (unsigned long long)v->content.length, (unsigned long long)v->size);
  return CPB_FAILED;
}

static cpb_have read_shape(cpb_tensor_values *v) {
  size_t size = (size_t)v->shape_at.length;
  if (v->shape_at.length > MOST_SHAPE)
    return damaged(v, v->shape_at.offset, "tensor_shape takes more than 65536 bytes");
  if (!cpb_buffer_reserve(&v->shape_message, size)) return cpb_fail_memory(v->error), CPB_FAILED;
  cpb_have have = cpb_input_gather(v->input, v->shape_at.offset, size, v->shape_message.data, &v->shape_message.size);
  if (have == CPB_HAVE) have = read_dimensions(v, (cpb_span){v->shape_message.data, size});
  else return cpb_tensor_settle(v, have);
  if (have != CPB_HAVE || v->format->size > 0) return have == CPB_HAVE ? check_size(v) : have;
  if (v->content.length == 0) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_UNSUPPORTED, v->content.offset, "strings in tensor_content are not supported");
  return CPB_FAILED;
}

/* --- Values ------------------------------------------------------------------------------ */

static void begin_values(cpb_tensor_values *v) {
  if (v->content.length > 0) {
    v->at = v->content.offset;
    v->end = v->at + v->content.length;
  } else {
    cpb_tensor_scan_field(v);
  }
}

/* Gives out values, and keeps the last element, which fill() repeats. */
static cpb_have give(cpb_tensor_values *v, cpb_span values, cpb_span *data) {
  size_t item = v->format->size, tail = cpb_min_size(values.size, item);
  if (values.size > v->size - v->given)
    return damaged(v, v->at, "the tensor has more values than its shape has elements");
  memmove(v->last, v->last + tail, item - tail);
  if (tail > 0) memcpy(v->last + item - tail, values.data + values.size - tail, tail);
  v->given += values.size;
  *data = values;
  return CPB_HAVE;
}

static void put(cpb_tensor_values *v, size_t at, uint64_t number) {
  size_t size = v->format->size;
  if (v->format->bits > 0) number = cpb_tensor_small(v->format, number);
  for (size_t i = 0; i < size; i++) v->out[at + i] = (uint8_t)(number >> 8 * i);
}

/* Decodes varints from the front of `in` into elements, as many as `out` has room for. A varint
 * that `in` cuts off continues with the next call: `number` and `shift` hold its beginning. */
static cpb_have decode_varints(cpb_tensor_values *v, cpb_span in, size_t *used, size_t *size) {
  size_t item = v->format->size;
  for (*used = *size = 0; *used < in.size && *size + item <= CPB_TENSOR_OUT;) {
    uint8_t byte = in.data[(*used)++];
    if (v->shift == 63 && byte > 1) return damaged(v, v->at + *used, "varint of more than 64 bits");
    v->number |= (uint64_t)(byte & 0x7f) << v->shift;
    v->shift += 7;
    if (byte >= 0x80) continue;
    put(v, *size, v->number);
    *size += item;
    v->number = v->shift = 0;
  }
  return CPB_HAVE;
}

/* Elements that are stored as their bytes. Bool and 4-bit or 2-bit integers use only some bits of
 * theirs, and the rest is cleared or sign-extended. */
static cpb_span copy_bytes(cpb_tensor_values *v, cpb_span in) {
  if (v->format->bits == 0) return in;
  for (size_t i = 0; i < in.size; i++) v->out[i] = cpb_tensor_small(v->format, in.data[i]);
  return (cpb_span){v->out, in.size};
}

/* More of the bytes [at, end). `data` may stay empty, when there was only a varint's beginning. */
static cpb_have read_piece(cpb_tensor_values *v, cpb_span *data) {
  cpb_span in;
  bool varints = v->content.length == 0 && cpb_tensor_field_type(v->format->field) == CPB_WIRE_VARINT;
  uint64_t left = v->end - v->at;
  cpb_have have = cpb_input_span(v->input, v->at, (size_t)cpb_min_u64(left, CPB_TENSOR_OUT), left, &in);
  if (have != CPB_HAVE) return cpb_tensor_settle(v, have);
  size_t used = in.size, size;
  if (varints) {
    have = decode_varints(v, in, &used, &size);
    if (have == CPB_HAVE) have = give(v, (cpb_span){v->out, size}, data);
  } else {
    have = give(v, copy_bytes(v, in), data);
  }
  v->at += used;
  if (have == CPB_HAVE && v->at == v->end && v->shift > 0)
    return damaged(v, v->at, "packed field ends within a varint");
  return have;
}

/* A field with values: a packed one becomes [at, end), any other is one element. */
static cpb_have take_field(cpb_tensor_values *v, cpb_span *data) {
  const cpb_wire_field *f = &v->scan.scanner.field;
  cpb_wire_type type = cpb_tensor_field_type(v->format->field);
  if (f->number != v->format->field) return CPB_HAVE;
  v->at = v->scan.base + f->value;
  if (f->type == CPB_WIRE_LEN) {
    unsigned unit = type == CPB_WIRE_FIXED64 ? 8 : type == CPB_WIRE_FIXED32 ? 4 : 1;
    v->end = v->at + f->size;
    return f->size % unit == 0 ? CPB_HAVE
                               : damaged(v, v->at, "size of a packed field is not a multiple of its numbers' size");
  }
  v->end = v->at;
  if (f->type != type) return CPB_HAVE; /* an unknown field, to a parser */
  if (type == CPB_WIRE_VARINT) put(v, 0, f->number_value);
  else cpb_store64(v->out, f->number_value);
  return give(v, (cpb_span){v->out, type == CPB_WIRE_VARINT ? v->format->size : (size_t)f->size}, data);
}

static cpb_have read_values(cpb_tensor_values *v, cpb_span *data) {
  cpb_have have = CPB_HAVE;
  cpb_wire_event event;
  while (have == CPB_HAVE && data->size == 0) {
    if (v->at < v->end) {
      have = read_piece(v, data);
    } else if (v->content.length > 0 || v->ends[v->format->field] == 0) {
      break;
    } else if ((have = cpb_tensor_scan_next(v, &event)) == CPB_HAVE) {
      if (event == CPB_WIRE_END) break;
      if (event == CPB_WIRE_FIELD) have = take_field(v, data);
    }
  }
  if (have == CPB_HAVE && data->size == 0 && v->given % v->format->size != 0)
    return damaged(v, v->at, "odd number of values of a complex type; expected real and imaginary parts");
  return have;
}

/* Repeats the last element for the rest of the shape, or zero if there was none, as TensorFlow
 * does (tensor.proto). */
static cpb_have fill(cpb_tensor_values *v, cpb_span *data) {
  size_t item = v->format->size, most = CPB_TENSOR_OUT - CPB_TENSOR_OUT % item;
  size_t size = (size_t)cpb_min_u64(v->size - v->given, most);
  for (size_t i = 0; i < size; i += item) memcpy(v->out + i, v->last, item);
  v->given += size;
  *data = (cpb_span){v->out, size};
  return CPB_HAVE;
}

/* --- Steps -------------------------------------------------------------------------------- */

static void set_info(const cpb_tensor_values *v, cpb_values_info *info) {
  bool texts = v->format->size == 0;
  *info = (cpb_values_info){.dtype = v->dtype_name,
                            .numpy = v->format->numpy,
                            .item_size = v->format->size,
                            .rank = v->rank,
                            .shape = v->shape,
                            .count = v->count,
                            .size = v->size};
  if (texts && v->texts.fixed) {
    info->numpy = v->numpy;
    info->item_size = (uint32_t)v->texts.longest;
  }
}

/* Runs the stage before values can be given out. True when there is another one to run. */
static bool prepare(cpb_tensor_values *v, cpb_have *have) {
  bool texts;
  switch (v->stage) {
    case LOOK: *have = look(v); break;
    case SHAPE:
      *have = read_shape(v);
      if (*have != CPB_HAVE) break;
      texts = v->format->size == 0;
      if (texts) cpb_tensor_scan_field(v);
      else begin_values(v);
      v->stage = texts ? SHAPE : MEASURE;
      break;
    case MEASURE: *have = cpb_tensor_measure_texts(v); break;
    default: return false;
  }
  if (*have == CPB_HAVE) v->stage++;
  return *have == CPB_HAVE;
}

cpb_have cpb_tensor_values_next(cpb_tensor_values *v, cpb_values_info *info, cpb_span *data) {
  cpb_have have = CPB_HAVE;
  while (prepare(v, &have)) {}
  if (have != CPB_HAVE) return have;
  if (v->stage == VALUES && v->format->size == 0) v->stage = TEXTS;
  set_info(v, info);
  if (v->stage == TEXTS) return cpb_tensor_next_text(v, data);
  if (v->stage == VALUES) have = read_values(v, data);
  if (have == CPB_HAVE && data->size == 0) v->stage = FILL;
  return v->stage == FILL ? fill(v, data) : have;
}

#include "model/common/tensor/values.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/tensor/tensor.h"

/* Every stage may find that its bytes are not there (CPB_WAIT); the next call then enters the same stage again, so all
 * that it has found so far is in `v`. A varint or an element of a few bits may be cut between two pieces: `number`,
 * `shift`, `bits` and `num_bits` have its beginning. */

/* --- The shape --------------------------------------------------------------------------------- */

static cpb_have fails(cpb_tensor_values *v, uint64_t at, const char *what) {
  return cpb_fail(v->error, CPB_E_DAMAGED, at, "%s%s", v->layout->shape_name, what), CPB_FAILED;
}

static cpb_have add_dimension(cpb_tensor_values *v, uint64_t at, uint64_t size) {
  if ((int64_t)size < 0) return fails(v, at, " has a negative size; expected a known shape");
  if (v->rank == CPB_TENSOR_RANK_MAX) return fails(v, at, " has more than 254 dimensions, TensorFlow's limit");
  if (!cpb_mul_u64(v->count, size, &v->count)) return fails(v, at, " has 2^64 elements or more");
  v->shape[v->rank++] = size;
  return CPB_HAVE;
}

/* --- A TensorShapeProto ------------------------------------------------------------------------ */

static cpb_have take_shape(cpb_tensor_values *v, cpb_span shape) {
  uint64_t at = v->shape_at.offset;
  cpb_cursor c = cpb_cursor_of(shape);
  if (cpb_get_number(shape, SHAPE_UNKNOWN_RANK)) return fails(v, at, ".unknown_rank is true; expected a known shape");
  while (cpb_cursor_find(&c, SHAPE_DIM, CPB_WIRE_LEN))
    if (add_dimension(v, at, cpb_get_number(c.bytes, DIM_SIZE)) != CPB_HAVE) return CPB_FAILED;
  return c.damaged ? fails(v, at, " cannot be parsed") : CPB_HAVE;
}

static cpb_have read_message(cpb_tensor_values *v) {
  cpb_span shape;
  cpb_have have = cpb_tensor_gather(v, v->shape_at, v->layout->shape_name, &shape);
  return have == CPB_HAVE ? take_shape(v, shape) : have;
}

/* --- A list of sizes ------------------------------------------------------------------------------ */

static cpb_have take_packed(cpb_tensor_values *v, cpb_range where) {
  cpb_span packed;
  cpb_have have = cpb_tensor_gather(v, where, v->layout->shape_name, &packed);
  const uint8_t *at = packed.data, *end = at + packed.size;
  while (have == CPB_HAVE && at < end) {
    uint64_t size;
    at = cpb_varint_read(at, end, &size);
    have = at ? add_dimension(v, where.offset, size) : fails(v, where.offset, " cannot be parsed");
  }
  return have;
}

static cpb_have read_list(cpb_tensor_values *v) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    const cpb_wire_field *f = &v->scan.scanner.field;
    if (v->gathered.length > 0) {
      have = take_packed(v, v->gathered);
      if (have == CPB_HAVE) v->gathered.length = 0;
    } else if ((have = cpb_tensor_list_next(v, v->layout->shape)) == CPB_HAVE) {
      if (!v->listing) break;
      if (f->type == CPB_WIRE_LEN) v->gathered = (cpb_range){v->scan.base + f->value, f->size};
      else if (f->type == CPB_WIRE_VARINT) have = add_dimension(v, v->scan.base + f->begin, f->number_value);
    }
  }
  return have;
}

/* Reads the shape: `shape`, `rank` and `count`. */
static cpb_have tensor_read_shape(cpb_tensor_values *v) {
  if (v->rank == 0) v->count = 1;
  return v->layout->has_dims ? read_list(v) : read_message(v);
}

enum { LOOK, SHAPE, PLACE, MEASURE, VALUES, FILL, TEXTS };

bool cpb_tensor_values_init(cpb_tensor_values *v, const cpb_allocator *a, cpb_meter *meter,
                            const cpb_tensor_layout *layout, cpb_input *input, cpb_error *error, cpb_range tensor,
                            bool exact_texts) {
  *v = (cpb_tensor_values){.allocator = *a,
                           .meter = meter,
                           .layout = layout,
                           .input = input,
                           .error = error,
                           .tensor = tensor,
                           .exact_texts = exact_texts};
  cpb_buffer_init(&v->message, a);
  cpb_buffer_init(&v->path, a);
  cpb_tensor_scan_begin(v, tensor.offset, tensor.offset + tensor.length);
  v->out = cpb_alloc(a, CPB_TENSOR_OUT);
  return v->out != NULL;
}

/* Continues from the state in which other tensors are after their message was read. */
bool cpb_tensor_values_init_known(cpb_tensor_values *v, const cpb_allocator *a, cpb_meter *meter,
                                  const cpb_tensor_layout *layout, cpb_input *input, cpb_error *error,
                                  const cpb_tensor_known *known, bool exact_texts) {
  if (!cpb_tensor_values_init(v, a, meter, layout, input, error, known->message, exact_texts)) return false;
  v->type = known->type;
  v->format = v->type.format;
  v->count = 1;
  v->rank = known->rank;
  for (uint32_t i = 0; i < known->rank; i++) {
    v->shape[i] = known->shape[i];
    if (!cpb_mul_u64(v->count, v->shape[i], &v->count)) v->count = UINT64_MAX; /* check_content() rejects it */
  }
  v->content = known->content;
  v->location = known->file.size > 0;
  v->has_length = true;
  if (known->type.field > 0 && !v->location) {
    v->begins[v->type.field] = known->message.offset;
    v->ends[v->type.field] = known->message.offset + known->message.length;
  }
  v->stage = PLACE;
  return known->file.size == 0 || cpb_buffer_append(&v->path, known->file.data, known->file.size);
}

void cpb_tensor_values_free(cpb_tensor_values *v) {
  if (v->scan.scanner.allocator) cpb_wire_free(&v->scan.scanner);
  cpb_buffer_free(&v->message);
  cpb_buffer_free(&v->path);
  cpb_release(&v->allocator, v->out);
}

static cpb_have damaged(cpb_tensor_values *v, uint64_t offset, const char *what) {
  return cpb_fail(v->error, CPB_E_DAMAGED, offset, "%s", what), CPB_FAILED;
}

/* --- Fields of the message ---------------------------------------------------------------------- */

/* The first walk notes for each field where it begins and where its last repetition ends. The second walk is limited
 * to this range of the field with the values. */

static void note_field(cpb_tensor_values *v, const cpb_wire_field *f) {
  uint64_t base = v->scan.base;
  cpb_range value = {base + f->value, f->size};
  const cpb_tensor_layout *l = v->layout;
  bool bytes = f->type == CPB_WIRE_LEN, number = f->type == CPB_WIRE_VARINT;
  if (f->number == l->dtype && number) v->dtype = f->number_value;
  else if (f->number == l->shape && bytes) v->shape_at = value;
  else if (f->number == l->content && bytes) v->content = value;
  else if (l->location && f->number == l->location && number) v->location = f->number_value;
  if (f->number >= CPB_TENSOR_FIELDS) return;
  if (v->ends[f->number] == 0) v->begins[f->number] = base + f->begin;
  v->ends[f->number] = value.offset + value.length;
}

static cpb_have describe(cpb_tensor_values *v) {
  bool known = v->layout->describe(v->dtype, &v->type);
  v->format = v->type.format;
  if (known) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_UNSUPPORTED, v->tensor.offset, "values of type %s are not supported", v->type.name);
  return CPB_FAILED;
}

static cpb_have look(cpb_tensor_values *v) {
  cpb_wire_event event;
  cpb_have have;
  while ((have = cpb_tensor_scan_next(v, &event)) == CPB_HAVE && event != CPB_WIRE_END)
    if (event == CPB_WIRE_FIELD) note_field(v, &v->scan.scanner.field);
  if (v->location) v->content = (cpb_range){0, 0}; /* that is not in the message */
  return have == CPB_HAVE ? describe(v) : have;
}

/* --- Sizes ---------------------------------------------------------------------------- */

static bool is_texts(const cpb_tensor_values *v) { return v->format->size == 0; }

/* The size of elements that share bytes follows from their bits. */
static bool find_sizes(cpb_tensor_values *v) {
  const bool fits = cpb_mul_u64(v->count, v->format->size, &v->size);
  v->stored = v->size;
  return fits && (v->type.packed == 0 || cpb_elements_bytes(v->count, v->type.packed, &v->stored));
}

/* The field with all values must have every element. In TensorFlow's typed fields (float_val and so on) the last ones
 * may be left out if they are equal. */
static cpb_have check_content(cpb_tensor_values *v) {
  const char *name = v->layout->content_name;
  if (!find_sizes(v)) {
    cpb_fail(v->error, CPB_E_DAMAGED, v->shape_at.offset, "%s has 2^64 bytes or more", v->layout->shape_name);
    return CPB_FAILED;
  }
  if (v->location && v->layout->external) return cpb_tensor_measure_external(v);
  if ((v->content.length == 0 && !v->location) || v->content.length == v->stored) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_DAMAGED, v->location ? CPB_NO_OFFSET : v->content.offset,
           "%s has %llu bytes; expected %llu by shape and type", name, (unsigned long long)v->content.length,
           (unsigned long long)v->stored);
  return CPB_FAILED;
}

/* Finds the values, and checks their number against the shape. */
static cpb_have find_place(cpb_tensor_values *v) {
  cpb_have have = v->location && v->layout->external ? cpb_tensor_find_external(v) : CPB_HAVE;
  if (have != CPB_HAVE || !is_texts(v)) return have == CPB_HAVE ? check_content(v) : have;
  if (v->content.length == 0 && !v->location) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_UNSUPPORTED, v->content.offset, "strings in %s are not supported",
           v->location ? "external_data" : v->layout->content_name);
  return CPB_FAILED;
}

/* --- Values ------------------------------------------------------------------------------ */

/* `last` has the bytes of the last element at every time, because fill() repeats them. An element may be cut between
 * two pieces, so give() shifts the new bytes in from the right. */

static void begin_values(cpb_tensor_values *v) {
  if (v->content.length > 0) {
    if (v->location) cpb_tensor_turn_to_external(v);
    v->at = v->content.offset;
    v->end = v->at + v->content.length;
  } else {
    cpb_tensor_scan_field(v);
  }
}

/* The largest number of bytes returned for a number of the typed field. */
static size_t unit_of(const cpb_tensor_values *v) {
  return v->type.packed_typed > 0 ? (size_t)8 / v->type.packed_typed : v->format->size;
}

/* Returns values, and keeps the last element, which fill() repeats. */
static cpb_have give(cpb_tensor_values *v, cpb_span values, cpb_span *data) {
  size_t item = v->format->size;
  const uint64_t left = v->size - v->given;
  const bool padded = v->type.packed > 0 && values.size > left && values.size - left < 8u / v->type.packed + 1;
  if (padded) values.size = (size_t)left; /* the last byte has room for more elements */
  size_t tail = cpb_min_size(values.size, item);
  if (values.size > left) return damaged(v, v->at, "the tensor has more values than its shape has elements");
  memmove(v->last, v->last + tail, item - tail);
  if (tail > 0) memcpy(v->last + item - tail, values.data + values.size - tail, tail);
  v->given += values.size;
  *data = values;
  return CPB_HAVE;
}

/* Splits an element that holds several smaller ones. Returns the end of the output. */
static size_t put_parts(cpb_tensor_values *v, size_t at, unsigned packed, uint8_t byte) {
  const bool high = v->type.high_first;
  v->bits = high ? v->bits << 8 | byte : v->bits | (uint32_t)byte << v->num_bits;
  v->num_bits += 8;
  for (; v->num_bits >= packed; v->num_bits -= packed) {
    uint8_t part = (uint8_t)((high ? v->bits >> (v->num_bits - packed) : v->bits) & ((1u << packed) - 1));
    if (!high) v->bits >>= packed;
    v->out[at++] = v->format->bits > 0 ? cpb_tensor_small(v->format, part) : part;
  }
  return at;
}

/* Appends the element that a number of the typed field represents. Returns the end of the output. */
static size_t put(cpb_tensor_values *v, size_t at, uint64_t number) {
  size_t size = v->format->size;
  if (v->type.packed_typed > 0) return put_parts(v, at, v->type.packed_typed, (uint8_t)number);
  if (v->format->bits > 0) number = cpb_tensor_small(v->format, number);
  for (size_t i = 0; i < size; i++) v->out[at + i] = (uint8_t)(number >> 8 * i);
  return at + size;
}

/* Decodes varints from the front of `in` into elements, as many as fit into `out`. If `in` cuts a varint off, `number`
 * and `shift` hold its beginning, and the next call continues it. */
static cpb_have decode_varints(cpb_tensor_values *v, cpb_span in, size_t *used, size_t *size) {
  size_t item = unit_of(v);
  for (*used = *size = 0; *used < in.size && *size + item <= CPB_TENSOR_OUT;) {
    uint8_t byte = in.data[(*used)++];
    if (v->shift == 63 && byte > 1) return damaged(v, v->at + *used, "varint of more than 64 bits");
    v->number |= (uint64_t)(byte & 0x7f) << v->shift;
    v->shift += 7;
    if (byte >= 0x80) continue;
    *size = put(v, *size, v->number);
    v->number = v->shift = 0;
  }
  return CPB_HAVE;
}

/* Elements that are stored as their bytes. Bool and 4-bit or 2-bit integers use only some bits of a byte; the other
 * bits are cleared or sign-extended. */
static cpb_span copy_bytes(cpb_tensor_values *v, cpb_span in) {
  size_t size = 0;
  if (v->format->bits == 0 && v->type.packed == 0) return in;
  for (size_t i = 0; i < in.size; i++)
    if (v->type.packed > 0) size = put_parts(v, size, v->type.packed, in.data[i]);
    else v->out[size++] = cpb_tensor_small(v->format, in.data[i]);
  return (cpb_span){v->out, size};
}

/* Reads more of the bytes [at, end). `data` may stay empty if they were only the beginning of a varint. */
static cpb_have read_piece(cpb_tensor_values *v, cpb_span *data) {
  cpb_span in;
  bool varints = v->content.length == 0 && v->type.wire == CPB_WIRE_VARINT;
  size_t most = v->type.packed > 0 ? CPB_TENSOR_OUT / 8 * v->type.packed : CPB_TENSOR_OUT;
  cpb_have have = cpb_tensor_span(v, (cpb_range){v->at, v->end - v->at}, most, &in);
  if (have != CPB_HAVE) return have;
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

/* Takes a field with values: a packed one becomes [at, end), any other is one element. */
static cpb_have take_field(cpb_tensor_values *v, cpb_span *data) {
  const cpb_wire_field *f = &v->scan.scanner.field;
  cpb_wire_type type = v->type.wire;
  if (f->number != v->type.field) return CPB_HAVE;
  v->at = v->scan.base + f->value;
  if (f->type == CPB_WIRE_LEN) {
    unsigned unit = type == CPB_WIRE_FIXED64 ? 8 : type == CPB_WIRE_FIXED32 ? 4 : 1;
    v->end = v->at + f->size;
    return f->size % unit == 0 ? CPB_HAVE
                               : damaged(v, v->at, "size of a packed field is not a multiple of its numbers' size");
  }
  v->end = v->at;
  if (f->type != type) return CPB_HAVE; /* an unknown field, to a parser */
  size_t size = (size_t)f->size;
  if (type == CPB_WIRE_VARINT) size = put(v, 0, f->number_value);
  else cpb_store64(v->out, f->number_value);
  return give(v, (cpb_span){v->out, size}, data);
}

/* Call it after the last value: unless the last one is repeated, all must be present. */
static cpb_have check_count(cpb_tensor_values *v) {
  if (v->layout->repeats_last || v->given == v->size) return CPB_HAVE;
  cpb_fail(v->error, CPB_E_DAMAGED, v->tensor.offset, "the tensor has %llu values; expected %llu by its shape",
           (unsigned long long)(v->given / v->format->size), (unsigned long long)v->count);
  return CPB_FAILED;
}

static cpb_have read_values(cpb_tensor_values *v, cpb_span *data) {
  cpb_have have = CPB_HAVE;
  cpb_wire_event event;
  while (have == CPB_HAVE && data->size == 0) {
    if (v->at < v->end) {
      have = read_piece(v, data);
    } else if (v->content.length > 0 || v->ends[v->type.field] == 0) {
      break;
    } else if ((have = cpb_tensor_scan_next(v, &event)) == CPB_HAVE) {
      if (event == CPB_WIRE_END) break;
      if (event == CPB_WIRE_FIELD) have = take_field(v, data);
    }
  }
  if (have == CPB_HAVE && data->size == 0 && v->given % v->format->size != 0)
    return damaged(v, v->at, "odd number of values of a complex type; expected real and imaginary parts");
  return have == CPB_HAVE && data->size == 0 ? check_count(v) : have;
}

cpb_have cpb_tensor_charge_repeated(cpb_tensor_values *v, uint64_t bytes) {
  return cpb_meter_charge(v->meter, CPB_WORK_DECODED, bytes, v->tensor.offset, v->error) ? CPB_HAVE : CPB_FAILED;
}

static cpb_have begin_fill(cpb_tensor_values *v) {
  v->stage = FILL;
  return cpb_tensor_charge_repeated(v, v->size - v->given);
}

/* Repeats the last element, or zero if the tensor is empty, to fill the shape, like TensorFlow (tensor.proto). */
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
  *info = (cpb_values_info){.dtype = v->type.name,
                            .numpy = v->format->numpy,
                            .item_size = v->format->size,
                            .rank = v->rank,
                            .shape = v->shape,
                            .count = v->count,
                            .size = v->size};
  if (is_texts(v) && v->texts.fixed) {
    info->numpy = v->numpy;
    info->item_size = (uint32_t)v->texts.longest;
  }
}

/* Runs one stage of the preparation. True if another one follows. */
static bool prepare(cpb_tensor_values *v, cpb_have *have) {
  switch (v->stage) {
    case LOOK: *have = look(v); break;
    case SHAPE: *have = tensor_read_shape(v); break;
    case PLACE:
      *have = find_place(v);
      if (*have != CPB_HAVE) break;
      if (is_texts(v)) cpb_tensor_scan_field(v);
      else begin_values(v);
      v->stage = is_texts(v) ? PLACE : MEASURE;
      break;
    case MEASURE: *have = cpb_tensor_measure_texts(v); break;
    default: return false;
  }
  if (*have == CPB_HAVE) v->stage++;
  return *have == CPB_HAVE;
}

cpb_have cpb_tensor_values_next(cpb_tensor_values *v, cpb_values_info *info, cpb_span *data) {
  cpb_have have = CPB_HAVE;
  /* A stage that has to wait keeps `stage`, so the next call enters it again. */
  while (prepare(v, &have)) {}
  if (have != CPB_HAVE) return have;
  if (v->stage == VALUES && is_texts(v)) v->stage = TEXTS;
  set_info(v, info);
  if (v->stage == TEXTS) return cpb_tensor_next_text(v, data);
  if (v->stage == VALUES) have = read_values(v, data);
  if (v->stage == VALUES && have == CPB_HAVE && data->size == 0) have = begin_fill(v);
  return v->stage == FILL && have == CPB_HAVE ? fill(v, data) : have;
}

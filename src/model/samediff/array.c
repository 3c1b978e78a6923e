#include "model/samediff/array.h"

#include "base/checked.h"
#include "base/floats.h"
#include "base/status.h"
#include "model/common/spans.h"

/* --- array ------------------------------------------------------------------------------------ */

/* All numbers come from the file, and code after this trusts them. Shape, strides and size are therefore checked
 * against each other here: the strides leave no gaps, so every element lies within the values. */

/* Bits of the extras (libnd4j's array/ArrayOptions.h). */
#define EMPTY 8
#define TYPE_BITS 10483712 /* all bits that give a data type */

/* libnd4j's shapeInfo: rank, dimensions, strides, extras, element-wise stride, order. */
static bool read_shape_info(cpb_flat *flat, const cpb_flat_vector *info, cpb_sd_array *a) {
  int64_t rank, order;
  if (info->count < 4) return cpb_flat_fail(flat, info->at, "array: shape has fewer than 4 numbers");
  if (!cpb_flat_element(flat, info, 0, 8, &rank)) return false;
  if (rank < 0 || rank > CPB_SD_RANK_MAX)
    return cpb_flat_fail(flat, info->at, "array: rank is out of range; expected 0 to 32");
  if (info->count != 2 * (uint64_t)rank + 4)
    return cpb_flat_fail(flat, info->at, "array: the length of shape is not 2 * rank + 4");
  a->rank = (uint32_t)rank;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (!cpb_flat_element(flat, info, 1 + i, 8, &a->shape[i]) ||
        !cpb_flat_element(flat, info, 1 + a->rank + i, 8, &a->strides[i]))
      return false;
    if (a->shape[i] < 0) return cpb_flat_fail(flat, info->at, "array: shape has a negative dimension");
  }
  if (!cpb_flat_element(flat, info, info->count - 3, 8, &a->extras) ||
      !cpb_flat_element(flat, info, info->count - 2, 8, &a->ews) ||
      !cpb_flat_element(flat, info, info->count - 1, 8, &order))
    return false;
  if (order != 'c' && order != 'f') return cpb_flat_fail(flat, info->at, "array: order is neither c nor f");
  a->order = (char)order;
  a->empty = (a->extras & EMPTY) != 0;
  return true;
}

static bool count_elements(cpb_flat *flat, uint64_t at, cpb_sd_array *a) {
  a->count = a->empty ? 0 : 1;
  for (uint32_t i = 0; i < a->rank; i++)
    if (!cpb_mul_u64(a->count, (uint64_t)a->shape[i], &a->count))
      return cpb_flat_fail(flat, at, "array: shape has 2^64 elements or more");
  return true;
}

/* Whether the values are in C or Fortran order without gaps. The stride of a dimension of
 * size 1 means nothing. */
static bool lies_in_order(const cpb_sd_array *a, char order) {
  uint64_t dense = 1;
  for (uint32_t n = 0; n < a->rank && a->count > 1; n++) {
    uint32_t i = order == 'c' ? a->rank - 1 - n : n;
    if (a->shape[i] != 1 && (uint64_t)a->strides[i] != dense) return false;
    dense *= (uint64_t)a->shape[i];
  }
  return true;
}

/* Whether the values fill memory without gaps in some order of the dimensions: from the innermost outwards, each stride
 * must be the product of the inner sizes. */
static bool lies_without_gaps(const cpb_sd_array *a) {
  uint64_t dense = 1;
  while (dense < a->count) {
    uint32_t i = 0;
    while (i < a->rank && (a->shape[i] == 1 || (uint64_t)a->strides[i] != dense)) i++;
    if (i == a->rank) return false;
    dense *= (uint64_t)a->shape[i];
  }
  return true;
}

/* Trusts the strides, not `order`: ND4J does not copy an array when its dimensions are
 * permuted, and still calls its order 'c'. */
static bool find_layout(cpb_flat *flat, uint64_t at, cpb_sd_array *a) {
  char other = a->order == 'c' ? 'f' : 'c';
  if (lies_in_order(a, a->order)) a->layout = a->order;
  else if (lies_in_order(a, other)) a->layout = other;
  else if (lies_without_gaps(a)) a->layout = CPB_SD_PERMUTED;
  else return cpb_flat_fail(flat, at, "array: strides leave gaps between values, which is not supported");
  return true;
}

static bool read_dtype(cpb_flat *flat, const cpb_flat_table *table, cpb_sd_array *a) {
  int64_t number;
  if (!cpb_flat_number(flat, table, ARRAY_DTYPE, 1, 0, &number)) return false;
  a->dtype = cpb_sd_find_dtype(number);
  if (!a->dtype) return cpb_flat_fail(flat, table->at, "array: dtype is not a DType of ND4J");
  int64_t told = a->extras & TYPE_BITS;
  if (told != 0 && a->dtype->extras != 0 && told != a->dtype->extras)
    return cpb_flat_fail(flat, table->at, "array: the data type in shape differs from dtype");
  return true;
}

/* A buffer of strings begins with their offsets, one more than there are strings. */
static bool check_texts(cpb_flat *flat, const cpb_flat_table *table, const cpb_sd_array *a) {
  bool has_offsets = a->dtype->number != DTYPE_UTF8 || a->values_size / 8 > a->count;
  return has_offsets || cpb_flat_fail(flat, table->at, "array: buffer is too small for the offsets of its strings");
}

static bool find_values(cpb_flat *flat, const cpb_flat_table *table, cpb_sd_array *a) {
  cpb_flat_vector buffer;
  uint64_t size;
  if (!cpb_flat_vector_at(flat, table, ARRAY_BUFFER, 1, &buffer)) return false;
  a->values = buffer.count > 0 ? buffer.at : 0;
  a->values_size = buffer.count;
  if (a->dtype->size == 0 && a->count > 0) return check_texts(flat, table, a);
  if (!cpb_mul_u64(a->count, a->dtype->size, &size))
    return cpb_flat_fail(flat, table->at, "array: shape has 2^64 bytes or more");
  return size == a->values_size ||
         cpb_flat_fail(flat, table->at, "array: the size of buffer differs from that by shape and dtype");
}

bool cpb_sd_array_read(cpb_flat *flat, const cpb_flat_table *table, cpb_sd_array *array) {
  cpb_flat_vector info;
  int64_t byte_order;
  *array = (cpb_sd_array){0};
  if (!cpb_flat_vector_at(flat, table, ARRAY_SHAPE, 8, &info) || !read_shape_info(flat, &info, array) ||
      !count_elements(flat, info.at, array) || !find_layout(flat, info.at, array) || !read_dtype(flat, table, array) ||
      !cpb_flat_number(flat, table, ARRAY_BYTE_ORDER, 1, 0, &byte_order) || !find_values(flat, table, array))
    return false;
  if (byte_order != 0 && byte_order != 1)
    return cpb_flat_fail(flat, table->at, "array: byteOrder is neither 0 (LE) nor 1 (BE)");
  array->big_endian = byte_order == 1;
  return true;
}

static void list(cpb_json_writer *answer, const char *key, const int64_t *values, uint32_t count) {
  cpb_json_writer_open(answer, key, '[');
  for (uint32_t i = 0; i < count; i++) cpb_json_writer_signed(answer, NULL, values[i]);
  cpb_json_writer_close(answer, ']');
}

void cpb_sd_array_open(cpb_json_writer *answer, const char *key, const cpb_sd_array *a, uint64_t offset) {
  const char order[] = {a->order, '\0'};
  cpb_json_writer_open(answer, key, '{');
  cpb_json_writer_text(answer, "dtype", a->dtype->name);
  list(answer, "shape", a->shape, a->rank);
  cpb_json_writer_text(answer, "order", order);
  list(answer, "strides", a->strides, a->rank);
  cpb_json_writer_bool(answer, "empty", a->empty);
  cpb_json_writer_text(answer, "byte_order", a->big_endian ? "big" : "little");
  cpb_json_writer_unsigned(answer, "count", a->count);
  cpb_json_writer_unsigned(answer, "bytes", a->values_size);
  if (a->values != 0 && offset != CPB_NO_OFFSET) cpb_json_writer_unsigned(answer, "offset", offset);
}

/* --- byte order ------------------------------------------------------------------------------- */

static void reverse(uint8_t *element, unsigned size) {
  for (unsigned i = 0; i < size / 2; i++) {
    uint8_t held = element[i];
    element[i] = element[size - 1 - i];
    element[size - 1 - i] = held;
  }
}

cpb_span cpb_sd_swap_next(cpb_sd_swap *s, cpb_span *in) {
  if (s->size == 1) {
    cpb_span all = *in;
    *in = cpb_span_from(all, all.size);
    return all;
  }
  static const size_t most = CPB_SD_SWAP_OUT - 8;
  /* The begin of an element that the last call left lies behind what it gave. */
  memmove(s->out, s->out + most, s->kept);
  size_t n = cpb_min_size(in->size, most - s->kept), total = s->kept + n;
  if (n > 0) memcpy(s->out + s->kept, in->data, n);
  *in = cpb_span_from(*in, n);
  size_t whole = total / s->size * s->size;
  for (size_t i = 0; i < whole; i += s->size) reverse(s->out + i, s->size);
  s->kept = total - whole;
  memcpy(s->out + most, s->out + whole, s->kept);
  return (cpb_span){s->out, whole};
}

/* --- numbers ---------------------------------------------------------------------------------- */

#define VALUES_MAX 16
#define PREVIEW_MAX 8

void cpb_sd_format_long(char *out, size_t size, int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  cpb_format(out, size, "%s%llu", value < 0 ? "-" : "", (unsigned long long)magnitude);
}

static void write_value(cpb_json_writer *answer, const char *numpy, uint64_t bits, int64_t extended) {
  switch (numpy[1]) {
    case 'b': cpb_json_writer_bool(answer, NULL, bits != 0); break;
    case 'f':
      if (numpy[2] == '2') cpb_json_writer_double(answer, NULL, cpb_half_of((uint32_t)bits));
      if (numpy[2] == '4') cpb_json_writer_float(answer, NULL, cpb_float_of((uint32_t)bits));
      if (numpy[2] == '8') cpb_json_writer_double(answer, NULL, cpb_double_of(bits));
      break;
    case 'V': cpb_json_writer_float(answer, NULL, (float)cpb_bfloat16_of((uint32_t)bits)); break; /* bfloat16 */
    case 'u': cpb_json_writer_exact_unsigned(answer, NULL, bits); break;
    default: cpb_json_writer_exact(answer, NULL, extended);
  }
}

/* Byte by byte, because they may be unaligned. */
static bool load_value(cpb_flat *flat, const cpb_sd_array *array, uint64_t i, uint64_t *bits, int64_t *extended) {
  unsigned size = array->dtype->size;
  cpb_flat_vector bytes = {array->values + i * size, size};
  *bits = 0;
  for (uint32_t k = 0; k < size; k++) {
    int64_t byte;
    if (!cpb_flat_element(flat, &bytes, array->big_endian ? k : size - 1 - k, 1, &byte)) return false;
    *bits = *bits << 8 | (uint64_t)(byte & 0xff);
  }
  uint64_t sign = (uint64_t)1 << (8 * size - 1);
  *extended = (int64_t)((*bits ^ sign) - sign);
  return true;
}

static bool write_stored(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array, uint64_t i) {
  uint64_t bits;
  int64_t extended;
  if (!load_value(flat, array, i, &bits, &extended)) return false;
  write_value(answer, array->dtype->numpy, bits, extended);
  return true;
}

bool cpb_sd_write_values(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array) {
  if (!array->dtype->numpy || array->count > VALUES_MAX) return true;
  cpb_json_writer_open(answer, "values", '[');
  for (uint64_t i = 0; i < array->count; i++)
    if (!write_stored(flat, answer, array, i)) return false;
  cpb_json_writer_close(answer, ']');
  return true;
}

/* Where the i-th element in row-major order is stored. There is one, so that no dimension is 0; the strides were
 * found to leave no gaps. */
static uint64_t place_of(const cpb_sd_array *array, uint64_t i) {
  uint64_t place = 0;
  for (uint32_t k = array->rank; k-- > 0;) {
    uint64_t size = (uint64_t)array->shape[k];
    if (size > 1) place += i % size * (uint64_t)array->strides[k];
    i /= size;
  }
  return place;
}

bool cpb_sd_write_preview(cpb_flat *flat, cpb_json_writer *answer, const cpb_sd_array *array) {
  if (!array->dtype->numpy || array->values_size > CPB_SD_PREVIEWED) return true;
  cpb_json_writer_open(answer, "preview", '[');
  for (uint64_t i = 0; i < array->count && i < PREVIEW_MAX; i++)
    if (!write_stored(flat, answer, array, place_of(array, i))) return false;
  cpb_json_writer_close(answer, ']');
  if (array->count > PREVIEW_MAX) cpb_json_writer_bool(answer, "preview_more", true);
  return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Walks the elements in row-major order with an index for each dimension, so that the place of the next element
 * takes an addition instead of a division for each dimension. */

/* Strides of dimensions of 1 may be anything: what they add is taken off again. */
static void advance(cpb_sd_rows *r, const cpb_sd_array *a) {
  for (uint32_t i = a->rank; i-- > 0;) {
    uint64_t stride = (uint64_t)a->strides[i], size = (uint64_t)a->shape[i];
    r->at += stride;
    if (++r->place[i] < size) return;
    r->at -= stride * size;
    r->place[i] = 0;
  }
}

size_t cpb_sd_rows_next(cpb_sd_rows *r, const cpb_sd_array *a, uint8_t *out, size_t capacity) {
  size_t size = a->dtype->size, filled = 0;
  for (; r->given < a->count && size <= capacity - filled; r->given++, filled += size) {
    memcpy(out + filled, r->values.data + (size_t)r->at * size, size);
    advance(r, a);
  }
  return filled;
}

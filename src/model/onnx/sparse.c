#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"

/* An index is the number of an element, or its coordinates. They ascend, so the values come in the order in which the
 * array has them, and the array is made a piece at a time. */

enum { INDICES, VALUES, ARRAY };

#define DAMAGED(s, at, ...) \
  (cpb_fail(&(s)->common->error, CPB_E_DAMAGED, at, "the sparse tensor's " __VA_ARGS__), CPB_FAILED)

void cpb_onnx_sparse_init(cpb_onnx_sparse *s, const cpb_allocator *a) { cpb_buffer_init(&s->places, a); }

void cpb_onnx_sparse_free(cpb_onnx_sparse *s) { cpb_buffer_free(&s->places); }

static bool begin_tensor(cpb_onnx_sparse *s, cpb_range tensor) {
  cpb_viewed_values *c = s->common;
  return cpb_tensor_values_init(&c->tensor, &c->allocator, c->meter, &cpb_onnx_layout, &c->input, &c->error, tensor,
                                false) ||
         (cpb_viewed_values_fail_memory(c), false);
}

cpb_have cpb_onnx_sparse_begin(cpb_onnx_sparse *s, cpb_viewed_values *common, cpb_span message) {
  uint64_t size;
  cpb_varints dims = cpb_varints_of(message, SPARSE_DIMS);
  s->common = common;
  s->values = cpb_part_where(&common->part, cpb_get_bytes(message, SPARSE_VALUES));
  s->indices = cpb_part_where(&common->part, cpb_get_bytes(message, SPARSE_INDICES));
  if (!begin_tensor(s, s->indices)) return CPB_FAILED;
  for (s->count = 1; cpb_varints_next(&dims, &size); s->shape[s->rank++] = size)
    if ((int64_t)size < 0 || s->rank == CPB_TENSOR_RANK_MAX || !cpb_mul_u64(s->count, size, &s->count))
      return DAMAGED(s, s->values.offset, "dims[%u] is %llu; expected a known size, at most 254 dims and 2^64 elements",
                     s->rank, (unsigned long long)size);
  return CPB_HAVE;
}

/* --- Indices -------------------------------------------------------------------------------------- */

/* Sets the place of the next value. */
static cpb_have find_place(cpb_onnx_sparse *s) {
  const uint64_t least = s->next > 0 ? s->place + 1 : 0;
  const uint8_t *index = s->places.data + s->next * s->columns * 8;
  bool is_within = true;
  s->place = s->count;
  if (s->next == s->stored) return CPB_HAVE;
  s->place = 0;
  for (uint32_t i = 0; i < s->columns; i++) {
    const uint64_t at = cpb_load64(index + 8 * i), size = s->columns == 1 ? s->count : s->shape[i];
    is_within = is_within && at < size;
    s->place = s->place * size + at;
  }
  if (is_within && s->place >= least) return CPB_HAVE;
  return DAMAGED(s, s->indices.offset, "index %llu is not within its dims, or not after the one before",
                 (unsigned long long)s->next);
}

static cpb_have check_indices(cpb_onnx_sparse *s, const cpb_values_info *info) {
  const uint64_t at = s->indices.offset, columns = info->rank == 2 ? info->shape[1] : 1;
  if (strcmp(info->dtype, "int64") != 0) return DAMAGED(s, at, "indices are of type %s; expected int64", info->dtype);
  if (info->rank != 1 && (info->rank != 2 || columns != s->rank))
    return DAMAGED(s, at, "indices have %u dimensions and %llu columns; expected one dimension, or %u columns",
                   info->rank, (unsigned long long)columns, s->rank);
  s->stored = info->shape[0];
  s->columns = info->rank == 1 ? 1 : s->rank;
  return CPB_HAVE;
}

static cpb_have read_indices(cpb_onnx_sparse *s) {
  cpb_values_info info;
  cpb_viewed_values *c = s->common;
  for (;;) {
    cpb_span piece = {NULL, 0};
    cpb_have have = cpb_tensor_values_next(&c->tensor, &info, &piece);
    if (have == CPB_HAVE && s->places.size == 0) have = check_indices(s, &info);
    if (have != CPB_HAVE || piece.size == 0) return have;
    if (!cpb_buffer_append(&s->places, piece.data, piece.size)) return cpb_viewed_values_fail_memory(c);
  }
}

/* --- Values --------------------------------------------------------------------------------------- */

/* Describes the array by its values, of which the first come as well. */
static cpb_have read_values(cpb_onnx_sparse *s) {
  cpb_values_info *info = &s->info;
  cpb_have have = cpb_tensor_values_next(&s->common->tensor, info, &s->piece);
  if (have != CPB_HAVE) return have;
  if (info->count != s->stored || info->rank != 1)
    return DAMAGED(s, s->values.offset, "values have %llu elements; expected %llu, as many as indices",
                   (unsigned long long)info->count, (unsigned long long)s->stored);
  if (strcmp(info->dtype, "string") == 0) {
    cpb_fail(&s->common->error, CPB_E_UNSUPPORTED, s->values.offset, "sparse tensors of strings are not supported");
    return CPB_FAILED;
  }
  info->rank = s->rank;
  info->shape = s->shape;
  info->count = s->count;
  if (!cpb_mul_u64(s->count, info->item_size, &info->size)) return DAMAGED(s, s->values.offset, "array has 2^64 bytes");
  /* The input does not bound the number of zeros. */
  have = cpb_tensor_charge_repeated(&s->common->tensor, info->size);
  return have == CPB_HAVE ? find_place(s) : have;
}

/* Puts the values in their places until that of the next one is `end` or beyond. */
static cpb_have put_values(cpb_onnx_sparse *s, uint64_t end) {
  cpb_values_info info;
  const size_t item = s->info.item_size;
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE && s->place < end) {
    if (s->piece.size == 0) have = cpb_tensor_values_next(&s->common->tensor, &info, &s->piece);
    if (have != CPB_HAVE) break;
    const size_t size = cpb_min_size(s->piece.size, item - s->part);
    memcpy(s->out + (size_t)(s->place - s->given) * item + s->part, s->piece.data, size);
    s->piece = cpb_span_from(s->piece, size);
    s->part += size;
    if (s->part < item) continue;
    s->part = 0;
    s->next++;
    have = find_place(s);
  }
  return have;
}

static cpb_have give(cpb_onnx_sparse *s, cpb_span *data) {
  const uint64_t size = cpb_min_u64(s->count - s->given, CPB_TENSOR_OUT / s->info.item_size);
  if (!s->is_begun) memset(s->out, 0, sizeof s->out);
  s->is_begun = true;
  const cpb_have have = put_values(s, s->given + size);
  if (have != CPB_HAVE) return have;
  *data = (cpb_span){s->out, (size_t)size * s->info.item_size};
  s->given += size;
  s->is_begun = false;
  return CPB_HAVE;
}

cpb_have cpb_onnx_sparse_next(cpb_onnx_sparse *s, cpb_values_info *info, cpb_span *data) {
  cpb_have have = CPB_HAVE;
  if (s->stage == INDICES) {
    if ((have = read_indices(s)) != CPB_HAVE) return have;
    cpb_tensor_values_free(&s->common->tensor);
    cpb_input_turn(&s->common->input, 0, NULL, 0);
    if (!begin_tensor(s, s->values)) return CPB_FAILED;
    s->stage = VALUES;
  }
  if (s->stage == VALUES) {
    if ((have = read_values(s)) != CPB_HAVE) return have;
    s->stage = ARRAY;
  }
  *info = s->info;
  return give(s, data);
}

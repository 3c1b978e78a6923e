#include "model/checkpoint/checkpoint.h"

#include "base/checked.h"
#include "model/checkpoint/fields.h"
#include "model/common/spans.h"
#include "model/common/tensor/tensor.h"

/* A tensor in slices has no place of its own: its size is the sum of its slices' sizes, and each slice is listed
 * with its place. Finding the slices takes work for each tensor, so it is charged before any is looked up. An index
 * of version 1 has no places at all, as values are inside the entries. */

static void write_numbers(cpb_json_writer *a, const uint64_t *numbers, uint32_t count) {
  cpb_json_writer_open(a, "shape", '[');
  for (uint32_t i = 0; i < count; i++) cpb_json_writer_unsigned(a, NULL, numbers[i]);
  cpb_json_writer_close(a, ']');
}

void cpb_stored_write_shape(const cpb_stored *s, cpb_json_writer *a) { write_numbers(a, s->shape, s->rank); }

static void write_place(cpb_json_writer *a, const cpb_stored *s) {
  cpb_json_writer_unsigned(a, "size", s->size);
  cpb_json_writer_unsigned(a, "shard", s->shard);
  cpb_json_writer_unsigned(a, "offset", s->offset);
  cpb_json_writer_unsigned(a, "crc32c", s->crc32c);
}

static bool open_slices(cpb_slices *slices, const cpb_allocator *a, const cpb_checkpoint *checkpoint,
                        const cpb_stored *s, cpb_json_writer *answer) {
  const uint64_t work = 2 * (uint64_t)cpb_checkpoint_message(s).size + 8 * (uint64_t)s->key_size;
  return cpb_slices_open(slices, a, checkpoint, s) && cpb_json_writer_charge(answer, CPB_WORK_WALKED, work);
}

/* In version 1 only the slice has the shape. */
static void write_slice(const cpb_slices *slices, cpb_json_writer *a) {
  const cpb_stored *whole = slices->whole;
  uint64_t begin[CPB_STORED_RANK_MAX], shape[CPB_STORED_RANK_MAX];
  const bool fits = cpb_slice_bounds(slices->message, whole, begin, shape);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_open(a, "begin", '[');
  for (uint32_t i = 0; fits && i < whole->rank; i++) cpb_json_writer_unsigned(a, NULL, begin[i]);
  cpb_json_writer_close(a, ']');
  if (slices->stored) cpb_stored_write_shape(slices->stored, a);
  else if (fits && cpb_checkpoint_version(slices->checkpoint) == 1) write_numbers(a, shape, whole->rank);
  else cpb_json_writer_null(a, "shape");
  if (slices->stored) write_place(a, slices->stored);
  cpb_json_writer_close(a, '}');
}

static void write_slices(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *s,
                         cpb_json_writer *answer) {
  cpb_slices slices;
  cpb_json_writer_open(answer, "slices", '[');
  if (open_slices(&slices, a, checkpoint, s, answer))
    while (cpb_slices_next(&slices)) write_slice(&slices, answer);
  if (slices.failed) answer->failed = true;
  cpb_slices_close(&slices);
  cpb_json_writer_close(answer, ']');
}

uint64_t cpb_stored_size(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *s,
                         cpb_json_writer *answer) {
  uint64_t size = 0;
  cpb_slices slices;
  if (s->slices == 0 || cpb_checkpoint_version(checkpoint) == 1) return s->size;
  if (open_slices(&slices, a, checkpoint, s, answer)) {
    while (cpb_slices_next(&slices))
      if (slices.stored && !cpb_add_u64(size, slices.stored->size, &size)) size = UINT64_MAX;
  }
  if (slices.failed) answer->failed = true;
  cpb_slices_close(&slices);
  return size;
}

void cpb_stored_write(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *s,
                      cpb_json_writer *answer) {
  if (!s) {
    cpb_json_writer_null(answer, "key");
    cpb_json_writer_null(answer, "stored");
    return;
  }
  cpb_json_writer_span(answer, "key", cpb_stored_key(s));
  cpb_json_writer_open(answer, "stored", '{');
  cpb_write_dtype(answer, "dtype", s->dtype);
  cpb_stored_write_shape(s, answer);
  if (s->slices == 0 && cpb_checkpoint_version(checkpoint) > 1) write_place(answer, s);
  else cpb_json_writer_unsigned(answer, "size", cpb_stored_size(a, checkpoint, s, answer));
  if (s->slices > 0) write_slices(a, checkpoint, s, answer);
  cpb_json_writer_close(answer, '}');
}

bool cpb_stored_is_tensor(const cpb_stored *s) {
  return s->key[0] != 0 && !cpb_span_is(cpb_stored_key(s), CPB_CHECKPOINT_GRAPH);
}

void cpb_checkpoint_write_counts(const cpb_checkpoint *checkpoint, cpb_json_writer *answer) {
  uint64_t tensors = 0, size = 0;
  const bool is_old = cpb_checkpoint_version(checkpoint) == 1;
  for (size_t i = 0; i < cpb_checkpoint_count(checkpoint); i++) {
    const cpb_stored *s = cpb_checkpoint_get(checkpoint, i);
    const bool counts = is_old || (s->slices == 0 && !cpb_span_is(cpb_stored_key(s), CPB_CHECKPOINT_GRAPH));
    if (counts && !cpb_add_u64(size, s->size, &size)) size = UINT64_MAX;
    tensors += cpb_stored_is_tensor(s);
  }
  cpb_json_writer_unsigned(answer, "tensors", tensors);
  cpb_json_writer_unsigned(answer, "size", size);
  cpb_json_writer_unsigned(answer, "shards", cpb_checkpoint_num_shards(checkpoint));
}

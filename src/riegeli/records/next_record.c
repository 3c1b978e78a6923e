/* Returns the records of a loaded chunk. With small records most steps end here, so this is kept short and separate
 * from the state machine (reader.c). */
#include "base/checked.h"
#include "riegeli/records/reader.h"

static void note_record(cpb_record_reader *r, uint64_t size) {
  uint64_t index = r->next - 1;
  r->record = (cpb_record){r->chunk.begin + index, r->chunk.begin, index, size};
}

static cpb_step begin_record(cpb_record_reader *r) {
  r->left = cpb_reader_next_size(r);
  note_record(r, r->left);
  return CPB_STEP_RECORD;
}

static cpb_step give_data(cpb_record_reader *r) {
  size_t size = (size_t)cpb_min_u64(r->ready.size, r->left);
  r->data = (cpb_span){r->ready.data, size};
  r->ready.data += size;
  r->ready.size -= size;
  r->left -= size;
  return CPB_STEP_DATA;
}

cpb_step cpb_record_reader_step(cpb_record_reader *r) {
  if (r->phase == CPB_PHASE_RECORDS && r->skip == 0) {
    if (r->left > 0 && r->ready.size > 0) return give_data(r);
    if (r->left == 0 && r->next < r->chunk.num_records) return begin_record(r);
  }
  return cpb_reader_step_on(r);
}

/* Both take the sizes of up to `room` records that have no more than `*most` bytes together, and
 * subtract those from `*most`. */
static size_t take_simple(cpb_record_reader *r, size_t *sizes, size_t room, size_t *most) {
  const uint8_t *at = r->size_at, *end = r->simple.size_varints.data + r->simple.size_varints.size;
  size_t count = 0, left = *most;
  for (; count < room; count++) {
    uint64_t size = 0;
    const uint8_t *next = cpb_record_size_read(at, end, &size);
    if (size > left) break;
    at = next;
    left -= sizes[count] = (size_t)size;
  }
  r->size_at = at;
  *most = left;
  return count;
}

static size_t take_transposed(const cpb_record_reader *r, size_t *sizes, size_t room, size_t *most) {
  const uint64_t *ends = r->transposed.ends + r->next;
  const uint64_t begin = r->next > 0 ? ends[-1] : 0, last = begin + *most;
  size_t count = 0;
  for (uint64_t at = begin; count < room && ends[count] <= last; at = ends[count++])
    sizes[count] = (size_t)(ends[count] - at);
  if (count > 0) *most -= (size_t)(ends[count - 1] - begin);
  return count;
}

static size_t take_batch(cpb_record_reader *r, size_t *sizes, size_t room) {
  if (r->ready.size == 0 && r->is_transposed) cpb_transposed_next(&r->transposed, &r->ready);
  size_t most = r->ready.size;
  room = (size_t)cpb_min_u64(room, r->chunk.num_records - r->next);
  size_t count = r->is_transposed ? take_transposed(r, sizes, room, &most) : take_simple(r, sizes, room, &most);
  if (count == 0) return 0;
  r->next += count;
  note_record(r, sizes[count - 1]);
  r->data = (cpb_span){r->ready.data, r->ready.size - most};
  if (r->data.size > 0) r->ready = (cpb_span){r->ready.data + r->data.size, most};
  return count;
}

size_t cpb_record_reader_batch(cpb_record_reader *r, size_t *sizes, size_t room) {
  bool between = r->left == 0 && r->skip == 0;
  return room > 0 && between && cpb_reader_come_to_record(r) ? take_batch(r, sizes, room) : 0;
}

void cpb_record_reader_skip(cpb_record_reader *r, uint64_t count) {
  if (r->phase != CPB_PHASE_RECORDS) return;
  count = cpb_min_u64(count, r->left);
  r->left -= count;
  r->skip += count;
}

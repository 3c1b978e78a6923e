/* Handing out the records of a loaded chunk. Most steps of a reader of small
 * records are these, so they stand apart from the machine behind them. */
#include "base/checked.h"
#include "riegeli/reader.h"

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

/* The next record's size, when at most `most` bytes are at hand and it has no more. */
static bool take_size(cpb_record_reader *r, size_t most, size_t *size) {
  const uint8_t *at = r->size_at;
  uint64_t next = cpb_reader_next_size(r);
  *size = (size_t)next;
  if (next <= most) return true;
  r->size_at = at;
  r->next--;
  return false;
}

size_t cpb_record_reader_batch(cpb_record_reader *r, size_t *sizes, size_t room) {
  if (r->phase != CPB_PHASE_RECORDS || r->skip > 0 || r->left > 0) return 0;
  size_t count = 0, most = r->ready.size;
  while (count < room && r->next < r->chunk.num_records && take_size(r, most, &sizes[count]))
    most -= sizes[count++];
  if (count == 0) return 0;
  note_record(r, sizes[count - 1]);
  r->data = (cpb_span){r->ready.data, r->ready.size - most};
  if (r->data.size > 0) r->ready = (cpb_span){r->ready.data + r->data.size, most};
  return count;
}

void cpb_record_reader_skip(cpb_record_reader *r, uint64_t count) {
  if (r->phase != CPB_PHASE_RECORDS) return;
  count = cpb_min_u64(count, r->left);
  r->left -= count;
  r->skip += count;
}

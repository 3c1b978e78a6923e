/* Handing out the records of a loaded chunk. Most steps of a reader of small
 * records are these, so they stand apart from the machine behind them. */
#include "base/checked.h"
#include "riegeli/reader.h"

static cpb_step begin_record(cpb_record_reader *r) {
  uint64_t index = r->next;
  r->left = cpb_reader_next_size(r);
  r->record = (cpb_record){r->chunk.begin + index, r->chunk.begin, index, r->left};
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

void cpb_record_reader_skip(cpb_record_reader *r, uint64_t count) {
  if (r->phase != CPB_PHASE_RECORDS) return;
  count = cpb_min_u64(count, r->left);
  r->left -= count;
  r->skip += count;
}

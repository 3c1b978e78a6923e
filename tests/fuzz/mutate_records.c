/* Riegeli files, and .cpb files among them: read into records, of which one is changed, and written anew. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/limits.h"
#include "chunked/index/metadata.h"
#include "cpb/records.h"
#include "host.h"
#include "mutate.h"

/* All records, in so far as they can be read; each item's tag is the record's position. */
static void read_records(fuzz_in file, fuzz_items *items) {
  fuzz_out record = {NULL, 0, 0};
  fuzz_loan loan = {NULL};
  const cpb_record_reader_options how = {
      .struct_size = sizeof how, .recover = 1, .verify = CPB_VERIFY_NEVER, .limits = &fuzz_limits};
  cpb_record_reader *reader = cpb_record_reader_new(NULL, &how);
  cpb_step step;
  int open = 0;
  uint64_t position = 0;
  while ((step = cpb_record_reader_step(reader)) > CPB_STEP_DONE && items->count < FUZZ_ITEMS &&
         record.size < 1 << 18) {
    size_t length;
    if (step == CPB_STEP_NEED) fuzz_lend(&loan, cpb_record_reader_input(reader), file, SIZE_MAX);
    if (step == CPB_STEP_RECORD) {
      if (open) fuzz_items_add(items, record.data, record.size, position);
      record.size = 0;
      open = 1;
      position = cpb_record_reader_record(reader)->position;
    }
    if (step != CPB_STEP_DATA) continue;
    const uint8_t *data = cpb_record_reader_data(reader, &length);
    fuzz_put(&record, data, length);
  }
  if (open && record.size < 1 << 18) fuzz_items_add(items, record.data, record.size, position);
  cpb_record_reader_free(reader);
  fuzz_return(&loan);
  fuzz_free(&record);
}

static int take(cpb_record_writer *w, fuzz_out *out) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    fuzz_put_at(out, offset, data, length);
  }
  return step != CPB_STEP_ERROR;
}

static uint64_t write_record(cpb_record_writer *w, const void *data, size_t size, fuzz_out *out) {
  cpb_record_writer_record(w, data, size);
  take(w, out);
  return cpb_record_writer_position(w);
}

/* An entry that was right before is right again. */
static void place(cpb_metadata *m, const fuzz_item *item, size_t old_size, uint64_t position) {
  for (size_t i = 0; i < m->num_chunks; i++) {
    cpb_chunk_entry e = cpb_metadata_chunk(m, i);
    if (e.offset != item->tag || e.type >= 1u << 30) continue;
    if (e.size == old_size) e.size = item->size;
    e.offset = position;
    e.type |= 1u << 30; /* placed */
    if (!cpb_metadata_set_entry(m, i, e)) abort();
  }
}

static void write_index(cpb_record_writer *w, cpb_metadata *m, fuzz_out *out) {
  cpb_buffer bytes;
  cpb_error error;
  cpb_buffer_init(&bytes, &m->allocator);
  for (size_t i = 0; i < m->num_chunks; i++) {
    cpb_chunk_entry e = cpb_metadata_chunk(m, i);
    e.type &= (1u << 30) - 1;
    if (!cpb_metadata_set_entry(m, i, e)) abort();
  }
  if (cpb_metadata_encode(m, &bytes, &error)) write_record(w, bytes.data, bytes.size, out);
  cpb_buffer_free(&bytes);
}

static void write_records(const fuzz_items *items, const size_t *old_sizes, unsigned seed, fuzz_out *out) {
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  const cpb_record_writer_options how = {.struct_size = sizeof how,
                                         .codec = {.codec = codecs[seed / 8192 % 4]},
                                         .record_per_chunk = seed / 32768 % 2,
                                         .chunk_size = 1 + seed / 65536 % 2000};
  const fuzz_item *last = &items->items[items->count - 1];
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata m;
  cpb_error error = {.code = CPB_OK};
  cpb_metadata_init(&m, &a);
  const cpb_limits limits = cpb_limits_or_default(&fuzz_limits);
  int indexed = cpb_metadata_decode(&m, false, (cpb_span){last->data, last->size}, &limits, &error);
  cpb_record_writer *w = cpb_record_writer_new(NULL, &how);
  take(w, out);
  for (size_t i = 0; i + (size_t)indexed < items->count; i++) {
    uint64_t position = write_record(w, items->items[i].data, items->items[i].size, out);
    if (indexed) place(&m, &items->items[i], old_sizes[i], position);
  }
  if (indexed) write_index(w, &m, out);
  cpb_record_writer_finish(w);
  take(w, out);
  cpb_record_writer_free(w);
  cpb_metadata_free(&m);
}

size_t fuzz_mutate_records(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
  fuzz_items items = {.count = 0};
  size_t old_sizes[FUZZ_ITEMS] = {0};
  fuzz_out out = {NULL, 0, 0};
  size_t made = 0;
  read_records((fuzz_in){data, size}, &items);
  for (size_t i = 0; i < items.count; i++) old_sizes[i] = items.items[i].size;
  fuzz_items_change(&items, seed);
  if (items.count > 0) write_records(&items, old_sizes, seed, &out);
  if (out.size > 0 && out.size <= max_size) {
    memcpy(data, out.data, out.size);
    made = out.size;
  }
  fuzz_free(&out);
  fuzz_items_free(&items);
  return made;
}

/* The record reader. A hash would stop the fuzzer at once, so the input is a
 * list of Riegeli chunks, which are put into a file with sound headers:
 * [type 1][num_records 2][decoded_data_size 3][data size 2][data], and the first
 * byte chooses how to read. The last chunk's rest is the file's tail, raw. */
#include "fuzz.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"
#include "riegeli/highwayhash.h"

static const uint64_t block = 65536, block_header = 24;

typedef struct {
  cpb_buffer bytes;
  uint64_t chunk_begin, chunk_end;
} file;

static void put(file *f, const void *data, size_t size) {
  const uint8_t *from = data;
  while (size > 0) {
    if (f->bytes.size % block == 0) {
      uint8_t header[24];
      cpb_store64(header + 8, f->bytes.size - f->chunk_begin);
      cpb_store64(header + 16, f->chunk_end - f->bytes.size);
      cpb_store64(header, cpb_hash_bytes(header + 8, 16));
      fuzz_check(cpb_buffer_append(&f->bytes, header, sizeof header));
    }
    size_t room = (size_t)(block - f->bytes.size % block);
    size_t n = size < room ? size : room;
    fuzz_check(cpb_buffer_append(&f->bytes, from, n));
    from += n;
    size -= n;
  }
}

static uint64_t with_overhead(uint64_t begin, uint64_t size) {
  uint64_t usable = block - block_header;
  uint64_t headers = (size + (begin + usable - 1) % block) / usable;
  return begin + size + headers * block_header;
}

static void put_chunk(file *f, char type, uint64_t num_records, uint64_t decoded, fuzz_in data) {
  uint8_t header[40] = {0};
  cpb_store64(header + 8, data.size);
  cpb_store64(header + 16, cpb_hash_bytes(data.data, data.size));
  cpb_store64(header + 24, num_records << 8 | (uint8_t)type);
  cpb_store64(header + 32, decoded);
  cpb_store64(header, cpb_hash_bytes(header + 8, 32));
  f->chunk_begin = f->bytes.size;
  uint64_t end = f->chunk_begin + num_records, rest = (block - end % block) % block;
  if (rest > block - block_header - 1) end += rest - (block - block_header - 1);
  f->chunk_end = with_overhead(f->chunk_begin, sizeof header + data.size);
  if (f->chunk_end < end) f->chunk_end = end;
  put(f, header, sizeof header);
  put(f, data.data, data.size);
  static const uint8_t zeros[4096];
  while (f->bytes.size < f->chunk_end) {
    uint64_t left = f->chunk_end - f->bytes.size;
    put(f, zeros, left < sizeof zeros ? (size_t)left : 1 + (size_t)(left % sizeof zeros));
  }
}

/* What was read, and how it ended. */
typedef struct {
  uint64_t records, bytes, skipped, events;
  cpb_hash hash; /* of the bytes */
  cpb_step last;
  cpb_error error;
} outcome;

static uint64_t note_data(const cpb_record_reader *reader, outcome *o) {
  size_t length;
  const uint8_t *data = cpb_record_reader_data(reader, &length);
  if (length > 0) cpb_hash_update(&o->hash, data, length);
  o->bytes += length;
  return length;
}

static void take_batches(cpb_record_reader *reader, outcome *o) {
  size_t sizes[5], count;
  while (o->bytes < 1 << 22 && (count = cpb_record_reader_batch(reader, sizes, 5)) > 0) {
    const cpb_record *last = cpb_record_reader_record(reader);
    fuzz_check(count <= 5 && last->size == sizes[count - 1] && last->index + 1 >= count);
    uint64_t sum = 0, given = note_data(reader, o);
    for (size_t i = 0; i < count; i++) sum += sizes[i];
    fuzz_check(sum == given);
    o->records += count;
    fuzz_check(o->events++ < 1 << 20);
  }
}

static outcome read_all(const file *f, const cpb_record_reader_options *options, uint64_t seek, int by_batch) {
  outcome o = {.events = 0};
  cpb_hash_init(&o.hash);
  cpb_record_reader *reader = cpb_record_reader_new(NULL, options);
  fuzz_check(reader != NULL);
  cpb_input *input = cpb_record_reader_input(reader);
  cpb_input_end(input, f->bytes.size);
  if (seek != 0) cpb_record_reader_seek(reader, seek);
  uint64_t left = 0;
  for (o.last = CPB_STEP_NEED; o.last > CPB_STEP_DONE && o.bytes < 1 << 22;) {
    if (by_batch && left == 0) take_batches(reader, &o);
    o.last = cpb_record_reader_step(reader);
    fuzz_check(o.events++ < 1 << 20);
    if (o.last == CPB_STEP_NEED) {
      cpb_need need;
      cpb_input_need(input, &need);
      fuzz_check(need.kind == CPB_NEED_RANGE && need.length > 0 && need.offset < f->bytes.size);
      cpb_input_supply(input, need.offset, f->bytes.data + need.offset, f->bytes.size - (size_t)need.offset);
    } else if (o.last == CPB_STEP_RECORD) {
      fuzz_check(left == 0);
      left = cpb_record_reader_record(reader)->size;
      o.records++;
    } else if (o.last == CPB_STEP_DATA) {
      uint64_t length = note_data(reader, &o);
      fuzz_check(length > 0 && length <= left);
      left -= length;
    } else if (o.last == CPB_STEP_SKIPPED) {
      const cpb_skipped *skipped = cpb_record_reader_skipped(reader);
      fuzz_check(options->recover && skipped->begin <= skipped->end && skipped->reason[0] != '\0');
      o.skipped += skipped->end - skipped->begin;
      left = 0;
    }
  }
  o.error = *cpb_record_reader_error(reader);
  fuzz_check(o.error.code != CPB_E_USAGE && o.error.code != CPB_E_MEMORY);
  fuzz_check(o.error.code == CPB_OK || o.error.message[0] != '\0');
  cpb_record_reader_free(reader);
  return o;
}

/* Batches give what steps give. */
static void check_same(const outcome *a, const outcome *b) {
  if (a->last > CPB_STEP_DONE || b->last > CPB_STEP_DONE) return; /* too much to read all */
  fuzz_check(a->last == b->last && a->records == b->records && a->bytes == b->bytes && a->skipped == b->skipped);
  fuzz_check(cpb_hash_finish(&a->hash) == cpb_hash_finish(&b->hash));
  fuzz_check(a->error.code == b->error.code && a->error.offset == b->error.offset);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  uint32_t how = fuzz_number(&in, 1);
  file f = {.chunk_begin = 0};
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&f.bytes, &system);
  put_chunk(&f, 's', 0, 0, (fuzz_in){NULL, 0});
  while (in.size > 8 && f.bytes.size < 1 << 18) {
    char type = (char)fuzz_number(&in, 1);
    uint32_t num_records = fuzz_number(&in, 2), decoded = fuzz_number(&in, 3);
    size_t length = fuzz_number(&in, 2);
    put_chunk(&f, type, num_records, decoded, fuzz_bytes(&in, length));
  }
  fuzz_check(cpb_buffer_append(&f.bytes, in.data, in.size));
  cpb_record_reader_options options = {.struct_size = sizeof options,
                                       .recover = how & 1,
                                       .verify = (cpb_verify)(how >> 1 & 3) % 3,
                                       .buffer = how & 8 ? 100 : 0,
                                       .limits = &fuzz_limits};
  const uint64_t seek = how & 16 ? how * 8 : 0;
  outcome stepped = read_all(&f, &options, seek, 0);
  if (how & 32) {
    outcome batched = read_all(&f, &options, seek, 1);
    check_same(&stepped, &batched);
  }
  cpb_buffer_free(&f.bytes);
  return 0;
}

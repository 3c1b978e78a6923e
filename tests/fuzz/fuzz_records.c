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

static void read_all(const file *f, const cpb_record_reader_options *options, uint64_t seek) {
  cpb_record_reader *reader = cpb_record_reader_new(NULL, options);
  fuzz_check(reader != NULL);
  cpb_input *input = cpb_record_reader_input(reader);
  cpb_input_end(input, f->bytes.size);
  if (seek != 0) cpb_record_reader_seek(reader, seek);
  uint64_t left = 0, events = 0, total = 0;
  for (cpb_step step; (step = cpb_record_reader_step(reader)) > CPB_STEP_DONE && total < 1 << 22;) {
    fuzz_check(events++ < 1 << 20);
    if (step == CPB_STEP_NEED) {
      cpb_need need;
      cpb_input_need(input, &need);
      fuzz_check(need.kind == CPB_NEED_RANGE && need.length > 0 && need.offset < f->bytes.size);
      cpb_input_supply(input, need.offset, f->bytes.data + need.offset, f->bytes.size - (size_t)need.offset);
    } else if (step == CPB_STEP_RECORD) {
      fuzz_check(left == 0);
      left = cpb_record_reader_record(reader)->size;
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      fuzz_check(cpb_record_reader_data(reader, &length) != NULL);
      fuzz_check(length <= left);
      left -= length;
      total += length;
    } else {
      const cpb_skipped *skipped = cpb_record_reader_skipped(reader);
      fuzz_check(options->recover && skipped->begin <= skipped->end && skipped->reason[0] != '\0');
      left = 0;
    }
  }
  const cpb_error *error = cpb_record_reader_error(reader);
  fuzz_check(error->code != CPB_E_USAGE && error->code != CPB_E_MEMORY);
  fuzz_check(error->code == CPB_OK || error->message[0] != '\0');
  cpb_record_reader_free(reader);
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
  read_all(&f, &options, how & 16 ? how * 8 : 0);
  cpb_buffer_free(&f.bytes);
  return 0;
}

/* Times reading from memory, for run.py and wasi.py, which also builds it for WASI:
 *
 *   bench_read read FILE.riegeli [SECONDS]  its records
 *   bench_read hash FILE [SECONDS]          the hash of its bytes
 *
 * For SECONDS, and thrice at least (default 0: once); prints seconds and bytes of decoded
 * data, a run a line. */
#include <string.h>

#include "base/bytes.h"
#include "bench.h"
#include "cpb/records.h"
#include "riegeli/highwayhash.h"

static volatile uint8_t sink;

static uint64_t read_once(void *what) {
  const cpb_span *file = what;
  cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
  cpb_input *input = cpb_record_reader_input(reader);
  cpb_input_end(input, file->size);
  uint64_t bytes = 0;
  for (cpb_step step; (step = cpb_record_reader_step(reader)) != CPB_STEP_DONE;) {
    if (step == CPB_STEP_NEED) {
      cpb_need need;
      cpb_input_need(input, &need);
      cpb_input_supply(input, need.offset, file->data + need.offset, file->size - (size_t)need.offset);
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *piece = cpb_record_reader_data(reader, &length);
      sink = piece[length - 1];
      bytes += length;
    } else if (step == CPB_STEP_ERROR) {
      die(cpb_record_reader_error(reader)->message);
    }
  }
  cpb_record_reader_free(reader);
  return bytes;
}

static uint64_t hash_once(void *what) {
  const cpb_span *file = what;
  sink = (uint8_t)cpb_hash_bytes(file->data, file->size);
  return file->size;
}

int main(int argc, char **argv) {
  if (argc < 3) die("usage: bench_read read|hash FILE [SECONDS]");
  cpb_span file;
  file.data = slurp(argv[2], &file.size);
  return measure(argc > 3 ? argv[3] : NULL, strcmp(argv[1], "hash") == 0 ? hash_once : read_once, &file);
}

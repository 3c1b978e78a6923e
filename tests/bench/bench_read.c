/* Times reading from memory, for run.py and wasi.py, which also builds it for WASI:
 *
 *   bench_read read FILE.riegeli [SECONDS]  its records, small ones by batch
 *   bench_read step FILE.riegeli [SECONDS]  its records, one by one
 *   bench_read hash FILE [SECONDS]          the hash of its bytes
 *
 * For SECONDS, and thrice at least (default 0: once); prints what bench.h says, of decoded data. */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "bench.h"
#include "cpb/records.h"
#include "riegeli/highwayhash.h"

enum { BATCH = 256 }; /* records */

static volatile uint8_t sink;

/* What a batch gave: each record is looked at. */
static uint64_t take_batch(cpb_record_reader *reader, const size_t *sizes, size_t count) {
  size_t length, end = 0;
  const uint8_t *data = cpb_record_reader_data(reader, &length);
  for (size_t i = 0; i < count; i++) {
    end += sizes[i];
    if (end > 0) sink = data[end - 1];
  }
  return length;
}

static uint64_t take_batches(cpb_record_reader *reader) {
  size_t sizes[BATCH], count;
  uint64_t bytes = 0;
  while ((count = cpb_record_reader_batch(reader, sizes, BATCH)) > 0) bytes += take_batch(reader, sizes, count);
  return bytes;
}

static uint64_t read_all(const cpb_span *file, bool by_batch) {
  cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
  cpb_input *input = cpb_record_reader_input(reader);
  cpb_input_end(input, file->size);
  uint64_t bytes = 0;
  for (cpb_step step = CPB_STEP_NEED; step != CPB_STEP_DONE;) {
    if (by_batch) bytes += take_batches(reader);
    step = cpb_record_reader_step(reader);
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

static uint64_t read_once(void *what) { return read_all(what, true); }

static uint64_t step_once(void *what) { return read_all(what, false); }

static uint64_t hash_once(void *what) {
  const cpb_span *file = what;
  sink = (uint8_t)cpb_hash_bytes(file->data, file->size);
  return file->size;
}

int main(int argc, char **argv) {
  const char *command = argc > 2 ? argv[1] : "";
  uint64_t (*work)(void *) = strcmp(command, "read") == 0   ? read_once
                             : strcmp(command, "step") == 0 ? step_once
                             : strcmp(command, "hash") == 0 ? hash_once
                                                            : NULL;
  if (work == NULL) die("usage: bench_read read|step|hash FILE [SECONDS]");
  cpb_span file;
  file.data = slurp(argv[2], &file.size);
  return measure(argc > 3 ? argv[3] : NULL, work, &file);
}

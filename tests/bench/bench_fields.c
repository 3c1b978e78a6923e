/* What reading one field of 50,000 transposed records takes, against reading all of them, in one run:
 *
 *   bench_fields [SECONDS]    default 2
 *
 * The records are messages with a number of two bytes, a name and a text of PAYLOAD bytes. Prints the medians of the
 * processor's time and the bytes that were decoded, and their ratios. Of one field about half the time is the hash
 * of what is stored. */
#include <string.h>

#include "base/bytes.h"
#include "bench.h"
#include "cpb/records.h"

enum { RECORDS = 50000, PAYLOAD = 400, ROOM = 64 << 20, MOST_RUNS = 1000 };

static uint8_t file[ROOM];
static size_t file_size;

static uint64_t random_state = 88172645463325252ull;

static uint64_t random64(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static size_t make_record(uint8_t *out, unsigned i) {
  uint8_t *at = out;
  *at++ = 0x08; /* 1: a number of two bytes */
  at = cpb_varint_write(at, 128 + i % 16000);
  at += snprintf((char *)at, 64,
                 "\x12%c"
                 "user_%09u",
                 14, (unsigned)(random64() % 100000)); /* 2: a name */
  *at++ = 0x1a;                                        /* 3: a text */
  at = cpb_varint_write(at, PAYLOAD);
  for (unsigned k = 0; k < PAYLOAD; k++) *at++ = (uint8_t)("etaoinshrdlu "[random64() % 13]);
  return (size_t)(at - out);
}

static void drain(cpb_record_writer *writer) {
  while (cpb_record_writer_step(writer) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    if (offset + length > sizeof file) die("the file is larger than expected");
    memcpy(file + offset, data, length);
    file_size = (size_t)offset + length;
  }
}

static void make_file(void) {
  const cpb_record_writer_options how = {.struct_size = sizeof how, .transpose = CPB_TRANSPOSE_ALWAYS};
  cpb_record_writer *writer = cpb_record_writer_new(NULL, &how);
  uint8_t record[2 * PAYLOAD];
  for (unsigned i = 0; i < RECORDS; i++) {
    cpb_record_writer_record(writer, record, make_record(record, i));
    drain(writer);
  }
  cpb_record_writer_finish(writer);
  drain(writer);
  cpb_record_writer_free(writer);
}

/* Returns the bytes that were decoded. */
static uint64_t read_all(const char *fields) {
  cpb_work work = {0};
  const cpb_limits limits = {.struct_size = sizeof limits, .work = &work};
  const cpb_record_reader_options how = {.struct_size = sizeof how, .fields = fields, .limits = &limits};
  cpb_record_reader *reader = cpb_record_reader_new(NULL, &how);
  size_t sizes[256], count, records = 0;
  cpb_step step = CPB_STEP_NEED;
  while (step != CPB_STEP_DONE && step != CPB_STEP_ERROR) {
    while ((count = cpb_record_reader_batch(reader, sizes, 256)) > 0) records += count;
    step = cpb_record_reader_step(reader);
    if (step == CPB_STEP_NEED) cpb_input_supply(cpb_record_reader_input(reader), 0, file, file_size);
    if (step == CPB_STEP_NEED) cpb_input_end(cpb_record_reader_input(reader), file_size);
    records += step == CPB_STEP_RECORD;
  }
  if (records != RECORDS) die("some records are missing");
  cpb_record_reader_free(reader);
  return work.decoded;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  static double times[2][MOST_RUNS];
  static const char *const fields[] = {NULL, "1"};
  uint64_t decoded[2] = {0};
  size_t runs = 0;
  make_file();
  for (const double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 2); runs < MOST_RUNS && (runs < 5 || now() < end);
       runs++) {
    for (size_t i = 0; i < 2; i++) {
      const double before = processor();
      decoded[i] = read_all(fields[i]);
      times[i][runs] = processor() - before;
    }
  }
  for (size_t i = 0; i < 2; i++) qsort(times[i], runs, sizeof times[i][0], by_size);
  const double whole = times[0][runs / 2], one = times[1][runs / 2];
  printf("%d records, a file of %zu bytes, %zu runs\n", RECORDS, file_size, runs);
  printf("all fields: %.2f ms, %llu bytes decoded\n", 1e3 * whole, (unsigned long long)decoded[0]);
  printf("one field:  %.2f ms, %llu bytes decoded\n", 1e3 * one, (unsigned long long)decoded[1]);
  printf("ratio:      %.4f of the time, %.4f of the bytes\n", one / whole, (double)decoded[1] / (double)decoded[0]);
  return 0;
}

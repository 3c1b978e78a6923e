/* Seeking: [how 1][file]. In a file that can be read through, a position leads to the record that reading
 * from the beginning finds there, any other number to the next one, and the last record is the last. */
#include "cpb/records.h"
#include "host.h"
#include "mutate.h"
#include "riegeli/highwayhash.h"

FUZZ_MUTATE_FILE(1)

enum { MOST_RECORDS = 2000, MOST_SEEKS = 40 };

/* For each time that the file was gone through. */
static const fuzz_bounds bounds = {.decoded = {1 << 20, 128}, .entries = {1000, 64}};

typedef struct found {
  uint64_t position, size, hash;
} found;

typedef struct reading {
  cpb_record_reader *reader;
  fuzz_in file;
  size_t piece;
  fuzz_loan loan;
  uint64_t decoded; /* bytes given out */
} reading;

/* The next record with all of its bytes. */
static cpb_step next(reading *r, found *f) {
  cpb_step step;
  cpb_hash hash;
  uint64_t left = 0;
  int begun = 0;
  cpb_hash_init(&hash);
  while (!begun || left > 0) {
    size_t length;
    step = cpb_record_reader_step(r->reader);
    if (step <= CPB_STEP_DONE) return step;
    if (step == CPB_STEP_NEED) fuzz_lend(&r->loan, cpb_record_reader_input(r->reader), r->file, r->piece);
    if (step == CPB_STEP_RECORD) {
      const cpb_record *record = cpb_record_reader_record(r->reader);
      *f = (found){.position = record->position, .size = left = record->size};
      begun = 1;
      if (left > 1 << 20) return CPB_STEP_ERROR; /* takes too long */
    } else if (step == CPB_STEP_DATA) {
      const uint8_t *data = cpb_record_reader_data(r->reader, &length);
      cpb_hash_update(&hash, data, length);
      left -= length;
      r->decoded += length;
    }
  }
  f->hash = cpb_hash_finish(&hash);
  return CPB_STEP_RECORD;
}

/* All records. 0 if they cannot be read to the end of the file. */
static int read_all(reading *r, found *all, size_t *count) {
  cpb_step step = CPB_STEP_RECORD;
  for (*count = 0; *count < MOST_RECORDS && r->decoded < 1 << 21; ++*count) {
    step = next(r, &all[*count]);
    if (step != CPB_STEP_RECORD) break;
    fuzz_check(*count == 0 || all[*count].position > all[*count - 1].position);
  }
  return step == CPB_STEP_DONE;
}

static int same(const found *a, const found *b) {
  return a->position == b->position && a->size == b->size && a->hash == b->hash;
}

/* The record at or after `position`. */
static void check_seek(reading *r, uint64_t position, const found *all, size_t count) {
  found f;
  size_t i = 0;
  cpb_record_reader_seek(r->reader, position);
  while (i < count && all[i].position < position) i++;
  cpb_step step = next(r, &f);
  fuzz_check(step == (i < count ? CPB_STEP_RECORD : CPB_STEP_DONE));
  if (step == CPB_STEP_RECORD) fuzz_check(same(&f, &all[i]));
}

static void check_last(reading *r, const found *all, size_t count) {
  found f;
  cpb_record_reader_seek_last(r->reader);
  cpb_step step = next(r, &f);
  fuzz_check(step == (count > 0 ? CPB_STEP_RECORD : CPB_STEP_DONE));
  if (count > 0) fuzz_check(same(&f, &all[count - 1]) && next(r, &f) == CPB_STEP_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static found all[MOST_RECORDS];
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1);
  const cpb_record_reader_options options = {
      .struct_size = sizeof options, .verify = (cpb_verify)((how & 3) % 3), .limits = &counted};
  reading r = {.reader = cpb_record_reader_new(NULL, &options), .file = in, .piece = how & 4 ? 61 : SIZE_MAX};
  size_t count, seeks = 2;
  if (read_all(&r, all, &count)) {
    check_last(&r, all, count);
    size_t stride = 1 + count / MOST_SEEKS;
    for (size_t i = count; i-- > 0; i -= i < stride ? i : stride - 1, seeks++) {
      check_seek(&r, all[i].position, all, count);
      if (i == 0) break;
    }
    for (uint64_t i = 0; i < 8; i++, seeks++) check_seek(&r, in.size * i / 7 + how % 5, all, count);
    check_last(&r, all, count);
  }
  cpb_record_reader_free(r.reader);
  fuzz_return(&r.loan);
  fuzz_bounds all_of_them = bounds;
  /* What a request decodes, and what the header of a chunk claims, at most, however small the file. */
  all_of_them.decoded.most *= seeks;
  all_of_them.entries.most += seeks * fuzz_limits.records_per_chunk;
  fuzz_bounded(&work, &all_of_them, in.size * seeks);
  return 0;
}

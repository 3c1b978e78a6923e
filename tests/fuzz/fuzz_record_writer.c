/* The record writer: [how 2][chunk size 2][what 1 size 1 bytes]... What was written is read back, and each
 * position leads to its record. */
#include "cpb/records.h"

#include "host.h"

enum { MOST = 300 };

/* Reading back the compressed output. */
static const fuzz_bounds bounds = {.decoded = {4 << 20, 64}, .entries = {2000, 64}};

typedef struct written {
  cpb_record_writer *writer;
  fuzz_out file;
  fuzz_out bytes; /* of all records */
  size_t sizes[MOST];
  uint64_t positions[MOST]; /* 0: not known */
  size_t count;
  int seekable;
} written;

static cpb_step take(written *w) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w->writer)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w->writer, &offset, &length);
    fuzz_check(length > 0 && length <= 65536 && (w->seekable || offset == w->file.size));
    fuzz_put_at(&w->file, offset, data, length);
  }
  return step;
}

static void note(written *w, fuzz_in record, uint64_t position) {
  fuzz_check(w->count < MOST);
  fuzz_put(&w->bytes, record.data, record.size);
  w->sizes[w->count] = record.size;
  w->positions[w->count++] = position;
}

static void put_batch(written *w, fuzz_in bytes) {
  size_t sizes[5], left = bytes.size, count = 0;
  for (; count < 5; count++) {
    sizes[count] = count == 4 ? left : left / 3;
    left -= sizes[count];
  }
  if (cpb_record_writer_batch(w->writer, bytes.data, sizes, count) != CPB_OK) return;
  if (take(w) != CPB_STEP_NEED) return;
  for (size_t i = 0; i < count; i++) {
    fuzz_in record = fuzz_bytes(&bytes, sizes[i]);
    note(w, record, i + 1 < count ? 0 : cpb_record_writer_position(w->writer));
  }
}

/* In two parts; some are repeated, so that they are large. */
static void put_record(written *w, fuzz_in bytes, size_t times) {
  fuzz_out record = {NULL, 0, 0};
  for (size_t i = 0; i < times; i++) fuzz_put(&record, bytes.data, bytes.size);
  cpb_code code = cpb_record_writer_begin_record(w->writer, record.size);
  take(w);
  size_t half = record.size / 2;
  if (code == CPB_OK) code = cpb_record_writer_write(w->writer, record.data, half);
  if (code == CPB_OK) take(w);
  if (code == CPB_OK && record.size > 0)
    code = cpb_record_writer_write(w->writer, record.data + half, record.size - half);
  if (code == CPB_OK) take(w);
  if (cpb_record_writer_error(w->writer)->code == CPB_OK)
    note(w, fuzz_view(&record), cpb_record_writer_position(w->writer));
  fuzz_free(&record);
}

static void put_some(written *w, uint32_t what, fuzz_in bytes) {
  static const cpb_codec codecs[] = {CPB_CODEC_DEFAULT, CPB_CODEC_NONE, CPB_CODEC_BROTLI, CPB_CODEC_ZSTD,
                                     CPB_CODEC_SNAPPY};
  const cpb_codec_options next = {.codec = codecs[what >> 4 & 3], .level = what & 64 ? 1 : 0};
  switch (what & 7) {
    case 0: cpb_record_writer_flush(w->writer, what & 8 ? &next : NULL); break;
    case 1: put_batch(w, bytes); return;
    case 2: put_record(w, bytes, what & 8 ? 300 : 1); return;
    default:
      if (cpb_record_writer_record(w->writer, bytes.data, bytes.size) != CPB_OK) return;
      if (take(w) == CPB_STEP_NEED) note(w, bytes, cpb_record_writer_position(w->writer));
      return;
  }
  take(w);
}

static cpb_step step_of(cpb_record_reader *reader, fuzz_loan *loan, fuzz_in file) {
  cpb_step step;
  while ((step = cpb_record_reader_step(reader)) == CPB_STEP_NEED)
    fuzz_lend(loan, cpb_record_reader_input(reader), file, SIZE_MAX);
  return step;
}

static void read_back(const written *w) {
  cpb_work work = {0};
  cpb_limits limits = {.struct_size = sizeof limits, .work = &work};
  const cpb_record_reader_options how = {.struct_size = sizeof how, .limits = &limits};
  cpb_record_reader *reader = cpb_record_reader_new(NULL, &how);
  fuzz_loan loan = {NULL};
  fuzz_in file = fuzz_view(&w->file), rest = fuzz_view(&w->bytes);
  for (size_t i = 0; i < w->count; i++) {
    fuzz_check(step_of(reader, &loan, file) == CPB_STEP_RECORD);
    const cpb_record *record = cpb_record_reader_record(reader);
    fuzz_check(record->size == w->sizes[i] && (w->positions[i] == 0 || w->positions[i] == record->position));
    for (size_t left = w->sizes[i]; left > 0;) {
      size_t length;
      fuzz_check(step_of(reader, &loan, file) == CPB_STEP_DATA);
      const uint8_t *data = cpb_record_reader_data(reader, &length);
      fuzz_check(length > 0 && length <= left && memcmp(data, rest.data, length) == 0);
      fuzz_bytes(&rest, length);
      left -= length;
    }
  }
  fuzz_check(step_of(reader, &loan, file) == CPB_STEP_DONE);
  cpb_record_reader_free(reader);
  fuzz_return(&loan);
  fuzz_bounded(&work, &bounds, file.size + w->bytes.size);
}

static int begin(written *w, fuzz_in *in) {
  static const cpb_codec codecs[] = {CPB_CODEC_DEFAULT, CPB_CODEC_NONE, CPB_CODEC_BROTLI, CPB_CODEC_ZSTD,
                                     CPB_CODEC_SNAPPY};
  uint32_t how = fuzz_number(in, 2);
  const cpb_record_writer_options options = {
      .struct_size = sizeof options,
      .codec = {.codec = codecs[how & 3], .level = how & 4 ? 1 : 0, .window_log = how & 8 ? 10 : 0},
      .chunk_size = fuzz_number(in, 2),
      .record_per_chunk = how >> 4 & 1,
      .seekable = how >> 5 & 1,
      .buffer = how & 64 ? 1000 : 0,
      .final_padding = how & 128 ? 4096 : 0,
      .initial_padding = how & 256 ? 65536 : 0,
      .metadata = how & 512 ? "\n\1x" : NULL,
      .metadata_size = how & 512 ? 3 : 0,
      .transpose = (cpb_transpose)((how >> 10 & 3) % 3),
      .bucket_fraction = how & 4096   ? -1
                         : how & 8192 ? 0.3
                                      : 0};
  w->seekable = options.seekable;
  w->writer = cpb_record_writer_new(NULL, &options);
  return take(w) != CPB_STEP_ERROR;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static written w;
  fuzz_in in = {data, size};
  memset(&w, 0, sizeof w);
  int good = begin(&w, &in);
  while (good && in.size > 1 && w.count + 5 <= MOST && w.bytes.size < 1 << 20) {
    uint32_t what = fuzz_number(&in, 1);
    fuzz_in bytes = fuzz_bytes(&in, fuzz_number(&in, 1));
    put_some(&w, what, bytes);
    good = cpb_record_writer_error(w.writer)->code == CPB_OK;
  }
  if (good && cpb_record_writer_finish(w.writer) == CPB_OK && take(&w) == CPB_STEP_DONE) {
    read_back(&w);
  } else {
    const cpb_error *error = cpb_record_writer_error(w.writer);
    fuzz_check(error->code == CPB_E_LIMIT || error->code == CPB_E_USAGE);
    fuzz_check(error->message[0] != '\0' && cpb_record_writer_step(w.writer) == CPB_STEP_ERROR);
  }
  cpb_record_writer_free(w.writer);
  fuzz_free(&w.file);
  fuzz_free(&w.bytes);
  return 0;
}

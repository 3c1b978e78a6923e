/* Times the record engines from memory to memory, for run.py:
 *
 *   bench_records make tensors|nodes MEGABYTES > RECORDS.lp
 *   bench_records write|write-each OPTIONS RECORDS.lp OUT.riegeli [SECONDS]
 *                                                          many records a call, or one
 *   bench_records baseline FILE.riegeli [SECONDS]          what reading cannot do without:
 *                                                          hash, codec and one copy
 *   bench_records write-baseline OPTIONS FILE.riegeli [SECONDS]
 *                                                          the same for writing that file
 *
 * OPTIONS are in Riegeli's words, as "transpose,zstd:3,chunk_size:64K". Each but `make` runs
 * again and again for SECONDS, and thrice at least (default 0: once), and prints what bench.h
 * says, a run a line. In .lp files each record stands behind its size, 8 bytes little-endian. */
#include <string.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "bench.h"
#include "cpb/records.h"
#include "riegeli/codec/compressor.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/highwayhash.h"

/* --- Data ------------------------------------------------------------------- */

static uint64_t random_state = 88172645463325252ull;

static uint64_t random64(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void put_record(const void *data, size_t size) {
  uint8_t head[8];
  cpb_store64(head, size);
  fwrite(head, 1, 8, stdout);
  fwrite(data, 1, size, stdout);
}

static size_t put_string(uint8_t *out, unsigned tag, const char *text) {
  size_t n = strlen(text);
  out[0] = (uint8_t)tag;
  out[1] = (uint8_t)n;
  memcpy(out + 2, text, n);
  return n + 2;
}

/* A NodeDef: name, op, inputs, device and a type attribute. */
static size_t node(uint8_t *out, unsigned k) {
  static const char *const ops[] = {"MatMul", "BiasAdd", "Relu", "Identity", "Conv2D", "AddV2"};
  char text[100];
  size_t n = 0;
  snprintf(text, sizeof text, "model/block_%u/layer_%u/%s_%u", k / 400, k / 20, ops[k % 6], k);
  n += put_string(out + n, 0x0a, text);
  n += put_string(out + n, 0x12, ops[k % 6]);
  snprintf(text, sizeof text, "model/block_%u/layer_%u/%s_%u", k / 400, k / 20, ops[(k + 5) % 6], k - 1);
  n += put_string(out + n, 0x1a, text);
  snprintf(text, sizeof text, "model/weights/kernel_%llu", (unsigned long long)(random64() % 5000));
  n += put_string(out + n, 0x1a, text);
  static const uint8_t attr[] = {0x2a, 0x07, 0x0a, 0x01, 'T', 0x12, 0x02, 0x30, 0x01};
  memcpy(out + n, attr, sizeof attr);
  return n + sizeof attr;
}

static int make(const char *what, uint64_t bytes) {
  static uint8_t record[1 << 20];
  for (uint64_t done = 0, k = 1; done < bytes; k++) {
    size_t size;
    if (strcmp(what, "tensors") == 0)
      for (size = 0; size < sizeof record; size += 8) cpb_store64(record + size, random64());
    else size = node(record, (unsigned)k);
    put_record(record, size);
    done += size;
  }
  return 0;
}

/* --- Writing ------------------------------------------------------------------ */

static cpb_record_writer_options options_of(const char *text) {
  cpb_record_writer_options options = {.struct_size = sizeof options};
  cpb_error error;
  if (cpb_record_writer_options_parse(&options, text, &error) != CPB_OK) die(error.message);
  return options;
}

enum { BATCH = 256 }; /* records */

typedef struct write_job {
  cpb_record_writer_options options;
  uint8_t *records; /* one behind the other */
  size_t *sizes, count;
  uint8_t *out;
  size_t out_size;
} write_job;

/* Puts the records of an .lp file together. */
static write_job load_records(const char *path) {
  write_job job = {0};
  size_t size, room = 0, total = 0;
  job.records = slurp(path, &size);
  for (size_t at = 0; at < size; at += 8 + job.sizes[job.count++]) {
    if (job.count == room) job.sizes = realloc(job.sizes, (room = 2 * room + 100) * sizeof *job.sizes);
    size_t n = job.sizes[job.count] = (size_t)cpb_load64(job.records + at);
    memmove(job.records + total, job.records + at + 8, n);
    total += n;
  }
  job.out = malloc(8 * size + (1 << 20));
  memset(job.out, 1, size); /* the pages are there before the clock runs */
  return job;
}

static void take_output(cpb_record_writer *writer, write_job *job) {
  while (cpb_record_writer_step(writer) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    memcpy(job->out + offset, data, length);
    job->out_size = (size_t)offset + length;
  }
}

/* At most `batch` records a call. */
static uint64_t write_all(write_job *job, size_t batch) {
  cpb_record_writer *writer = cpb_record_writer_new(NULL, &job->options);
  take_output(writer, job);
  const uint8_t *at = job->records;
  for (size_t i = 0; i < job->count; i += batch) {
    const size_t *sizes = job->sizes + i, count = i + batch < job->count ? batch : job->count - i;
    cpb_code code =
        count == 1 ? cpb_record_writer_record(writer, at, *sizes) : cpb_record_writer_batch(writer, at, sizes, count);
    if (code != CPB_OK) die(cpb_record_writer_error(writer)->message);
    take_output(writer, job);
    for (size_t k = 0; k < count; k++) at += sizes[k];
  }
  cpb_record_writer_finish(writer);
  take_output(writer, job);
  cpb_record_writer_free(writer);
  return (uint64_t)(at - job->records);
}

static uint64_t write_once(void *what) { return write_all(what, BATCH); }

static uint64_t write_each_once(void *what) { return write_all(what, 1); }

static int write_records(bool each, const char *options, const char *in, const char *to, const char *seconds) {
  write_job job = load_records(in);
  job.options = options_of(options);
  measure(seconds, each ? write_each_once : write_once, &job);
  FILE *file = fopen(to, "wb");
  if (file == NULL || fwrite(job.out, 1, job.out_size, file) != job.out_size || fclose(file) != 0) die(to);
  return 0;
}

/* --- The baseline ---------------------------------------------------------------- */

typedef struct baseline_chunk {
  cpb_span data;   /* stored, without block headers */
  cpb_span values; /* in there, or for writing: decoded */
  size_t decoded;
} baseline_chunk;

typedef struct baseline_job {
  baseline_chunk *chunks;
  size_t count, largest;
  uint8_t *decoded, *copy;
  cpb_decompressor *decompressor;
  cpb_compressor *compressor;
  cpb_buffer out;
} baseline_job;

/* The next `n` bytes of the file without block headers, in place. */
static uint8_t *unblock(uint8_t *file, size_t *pos, uint8_t **to, size_t n) {
  uint8_t *begin = *to;
  for (size_t part; n > 0; n -= part) {
    if (*pos % 65536 == 0) *pos += 24;
    part = 65536 - *pos % 65536;
    if (part > n) part = n;
    memmove(*to, file + *pos, part);
    *to += part;
    *pos += part;
  }
  return begin;
}

static baseline_job load_chunks(const char *path) {
  size_t size, room = 0;
  uint8_t *file = slurp(path, &size), *to = file;
  baseline_job job = {0};
  for (size_t pos = 64; pos + 40 < size;) {
    const uint8_t *header = unblock(file, &pos, &to, 40);
    size_t n = (size_t)cpb_load64(header + 8);
    const uint8_t *data = unblock(file, &pos, &to, n);
    uint64_t sizes = 0;
    const uint8_t *values = cpb_varint_read(data + 1, data + n, &sizes) + sizes;
    if (job.count == room) job.chunks = realloc(job.chunks, (room = 2 * room + 100) * sizeof *job.chunks);
    baseline_chunk *chunk = &job.chunks[job.count++];
    *chunk = (baseline_chunk){{data, n}, {values, (size_t)(data + n - values)}, (size_t)cpb_load64(header + 32)};
    if (chunk->decoded > job.largest) job.largest = chunk->decoded;
  }
  job.decoded = malloc(job.largest);
  job.copy = malloc(job.largest);
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&job.out, &system);
  return job;
}

static void decompress(baseline_job *job, const baseline_chunk *chunk, uint8_t *out) {
  cpb_span in = chunk->values;
  cpb_codec_error error;
  if (job->decompressor == NULL)
    job->decompressor = cpb_decompressor_new(NULL, NULL, chunk->data.data[0], in.size, &error);
  else cpb_decompressor_reset(job->decompressor, chunk->data.data[0], in.size, &error);
  if (cpb_decompressor_read(job->decompressor, &in, out, chunk->decoded) != chunk->decoded) die("decompress");
}

static volatile uint8_t sink;

static uint64_t read_baseline_once(void *what) {
  baseline_job *job = what;
  uint64_t bytes = 0;
  for (size_t i = 0; i < job->count; i++) {
    const baseline_chunk *chunk = &job->chunks[i];
    bool compressed = chunk->data.data[0] != 0;
    sink = (uint8_t)cpb_hash_bytes(chunk->data.data, chunk->data.size);
    if (compressed) decompress(job, chunk, job->decoded);
    memcpy(job->copy, compressed ? job->decoded : chunk->values.data, chunk->decoded);
    bytes += chunk->decoded;
  }
  return bytes;
}

static int read_baseline(const char *path, const char *seconds) {
  baseline_job job = load_chunks(path);
  return measure(seconds, read_baseline_once, &job);
}

static uint64_t write_baseline_once(void *what) {
  baseline_job *job = what;
  cpb_codec_error error;
  uint64_t bytes = 0;
  for (size_t i = 0; i < job->count; i++) {
    cpb_span copied = {job->copy, job->chunks[i].decoded};
    memcpy(job->copy, job->chunks[i].values.data, copied.size);
    job->out.size = 0;
    if (!cpb_compressor_begin(job->compressor, copied.size, &error) ||
        !cpb_compressor_write(job->compressor, copied, &job->out, &error) ||
        !cpb_compressor_finish(job->compressor, &job->out, &error))
      die(error.what);
    sink = (uint8_t)cpb_hash_bytes(job->out.data, job->out.size);
    bytes += copied.size;
  }
  return bytes;
}

static int write_baseline(const char *text, const char *path, const char *seconds) {
  baseline_job job = load_chunks(path);
  const cpb_record_writer_options options = options_of(text);
  cpb_codec_error error;
  job.compressor = cpb_compressor_new(NULL, &options.codec, &error);
  for (size_t i = 0; i < job.count; i++) {
    baseline_chunk *chunk = &job.chunks[i];
    uint8_t *decoded = malloc(chunk->decoded);
    decompress(&job, chunk, decoded);
    chunk->values = (cpb_span){decoded, chunk->decoded};
  }
  return measure(seconds, write_baseline_once, &job);
}

int main(int argc, char **argv) {
  const char *const *arg = (const char *const *)argv; /* ends with NULL */
  const char *command = argc > 1 ? arg[1] : "";
  if (argc == 4 && strcmp(command, "make") == 0) return make(arg[2], strtoull(arg[3], NULL, 10) << 20);
  if (argc >= 3 && strcmp(command, "baseline") == 0) return read_baseline(arg[2], arg[3]);
  if (argc >= 4 && strcmp(command, "write-baseline") == 0) return write_baseline(arg[2], arg[3], arg[4]);
  bool each = strcmp(command, "write-each") == 0;
  if (argc >= 5 && (each || strcmp(command, "write") == 0)) return write_records(each, arg[2], arg[3], arg[4], arg[5]);
  die("usage: see the head of tests/bench/bench_records.c");
}

/* Times the record engines from memory to memory, for run.py:
 *
 *   bench_records make tensors|nodes MEGABYTES > RECORDS.lp
 *   bench_records write CODEC[:LEVEL] RECORDS.lp OUT.riegeli [CHUNK_SIZE [PADDING]]
 *   bench_records read FILE.riegeli
 *   bench_records floor FILE.riegeli    hash, decompression and a copy alone
 *
 * Each but `make` prints seconds and bytes of decoded data. In .lp files each
 * record stands behind its size, 8 bytes little-endian. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/limits.h"
#include "cpb/records.h"
#include "riegeli/decompressor.h"
#include "riegeli/highwayhash.h"

static void die(const char *text) {
  fprintf(stderr, "bench_records: %s\n", text);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void report(double seconds, uint64_t bytes) {
  printf("%.6f %llu\n", seconds, (unsigned long long)bytes);
}

static uint8_t *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  if (fread(data, 1, *size, file) != *size) die(path);
  fclose(file);
  return data;
}

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
    if (strcmp(what, "tensors") == 0) {
      for (size = 0; size < sizeof record; size += 8) cpb_store64(record + size, random64());
    } else {
      size = node(record, (unsigned)k);
    }
    put_record(record, size);
    done += size;
  }
  return 0;
}

/* --- Writing ------------------------------------------------------------------ */

static cpb_codec_options codec_named(const char *text) {
  cpb_codec_options codec = {0};
  const char *level = strchr(text, ':');
  if (level != NULL) codec.level = atoi(level + 1);
  codec.codec = text[0] == 'n' ? CPB_CODEC_NONE : text[0] == 'b' ? CPB_CODEC_BROTLI : CPB_CODEC_ZSTD;
  return codec;
}

static void take_output(cpb_record_writer *writer, uint8_t *out, size_t *size) {
  while (cpb_record_writer_step(writer) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    memcpy(out + offset, data, length);
    *size = (size_t)offset + length;
  }
}

static int write_records(const char *codec, const char *in, const char *to, uint64_t chunk_size,
                         uint64_t padding) {
  size_t size, out_size = 0;
  uint8_t *records = slurp(in, &size), *out = malloc(8 * size + (1 << 20));
  memset(out, 1, size); /* the pages are there before the clock runs */
  cpb_record_writer_options options = {.struct_size = sizeof options,
                                       .codec = codec_named(codec),
                                       .chunk_size = chunk_size,
                                       .initial_padding = padding,
                                       .final_padding = padding};
  double start = now();
  cpb_record_writer *writer = cpb_record_writer_new(NULL, &options);
  take_output(writer, out, &out_size);
  uint64_t bytes = 0;
  for (size_t at = 0; at < size;) {
    uint64_t n = cpb_load64(records + at);
    if (cpb_record_writer_begin_record(writer, n) != CPB_OK) die("begin");
    take_output(writer, out, &out_size);
    if (cpb_record_writer_write(writer, records + at + 8, (size_t)n) != CPB_OK) die("write");
    take_output(writer, out, &out_size);
    at += 8 + (size_t)n;
    bytes += n;
  }
  cpb_record_writer_finish(writer);
  take_output(writer, out, &out_size);
  report(now() - start, bytes);
  cpb_record_writer_free(writer);
  FILE *file = fopen(to, "wb");
  if (file == NULL || fwrite(out, 1, out_size, file) != out_size || fclose(file) != 0) die(to);
  return 0;
}

/* --- Reading ------------------------------------------------------------------ */

static volatile uint8_t sink;

static int read_records(const char *path) {
  size_t size;
  uint8_t *data = slurp(path, &size);
  double start = now();
  cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
  cpb_input *input = cpb_record_reader_input(reader);
  cpb_input_end(input, size);
  uint64_t bytes = 0;
  for (cpb_step step; (step = cpb_record_reader_step(reader)) != CPB_STEP_DONE;) {
    if (step == CPB_STEP_NEED) {
      cpb_need need;
      cpb_input_need(input, &need);
      cpb_input_supply(input, need.offset, data + need.offset, size - (size_t)need.offset);
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *piece = cpb_record_reader_data(reader, &length);
      sink = piece[length - 1];
      bytes += length;
    } else if (step == CPB_STEP_ERROR) {
      die(cpb_record_reader_error(reader)->message);
    }
  }
  report(now() - start, bytes);
  cpb_record_reader_free(reader);
  return 0;
}

/* What no reader can do without: for each chunk its hash, its decompression,
 * and one copy of the decoded bytes. */
static int floor_of(const char *path) {
  size_t size;
  uint8_t *data = slurp(path, &size);
  static uint8_t chunk[64 << 20], decoded[64 << 20], copy[64 << 20];
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_limits limits = cpb_limits_or_default(NULL);
  cpb_decompressor *d = NULL;
  double seconds = 0;
  uint64_t bytes = 0;
  for (size_t at = 64; at + 40 < size;) {
    uint8_t header[40];
    size_t pos = at, got = 0;
    for (; got < 40; pos++) {
      if (pos % 65536 == 0) pos += 24;
      header[got++] = data[pos];
    }
    size_t n = (size_t)cpb_load64(header + 8), used = 0;
    while (used < n) {
      if (pos % 65536 == 0) pos += 24;
      size_t room = 65536 - pos % 65536, part = n - used < room ? n - used : room;
      memcpy(chunk + used, data + pos, part);
      used += part;
      pos += part;
    }
    uint64_t sizes = 0;
    const uint8_t *values = cpb_varint_read(chunk + 1, chunk + n, &sizes) + sizes;
    size_t total = (size_t)cpb_load64(header + 32);
    cpb_span span = {values, (size_t)(chunk + n - values)};
    cpb_codec_error error;
    double start = now();
    sink = (uint8_t)cpb_hash_bytes(chunk, n);
    if (header[24] == 'r' && chunk[0] != 0) {
      if (d == NULL) d = cpb_decompressor_new(&system, &limits, chunk[0], span.size, &error);
      else cpb_decompressor_reset(d, chunk[0], span.size, &error);
      if (cpb_decompressor_read(d, &span, decoded, total) != total) die("cannot decompress");
      memcpy(copy, decoded, total);
    } else {
      memcpy(copy, values, span.size);
    }
    seconds += now() - start;
    bytes += total;
    at = pos;
  }
  report(seconds, bytes);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "make") == 0) return make(argv[2], strtoull(argv[3], NULL, 10) << 20);
  if (argc >= 5 && strcmp(argv[1], "write") == 0)
    return write_records(argv[2], argv[3], argv[4], argc > 5 ? strtoull(argv[5], NULL, 10) : 0,
                         argc > 6 ? strtoull(argv[6], NULL, 10) : 0);
  if (argc == 3 && strcmp(argv[1], "read") == 0) return read_records(argv[2]);
  if (argc == 3 && strcmp(argv[1], "floor") == 0) return floor_of(argv[2]);
  die("usage: see the head of tests/bench/bench_records.c");
}

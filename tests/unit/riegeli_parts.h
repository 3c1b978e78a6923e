/* A Riegeli file in memory: written by the record writer, and taken apart by the
 * rules of the format, byte by byte, independently of how the library does it. */
#ifndef RIEGELI_PARTS_H
#define RIEGELI_PARTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"
#include "riegeli/block.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/highwayhash.h"

#define BLOCK 65536

/* --- A file in memory ------------------------------------------------------ */

typedef struct memory_file {
  uint8_t *bytes;
  size_t size, capacity;
  size_t patched; /* bytes that were written a second time */
} memory_file;

static inline void file_write(memory_file *f, uint64_t offset, const uint8_t *data, size_t length) {
  assert_true(length > 0);
  assert_true(offset <= f->size); /* no gaps */
  if (offset < f->size) {
    assert_true(offset + length <= f->size);
    f->patched += length;
  }
  size_t end = (size_t)offset + length;
  if (end > f->capacity) f->bytes = realloc(f->bytes, f->capacity = end * 2);
  memcpy(f->bytes + offset, data, length);
  if (end > f->size) f->size = end;
}

static inline void file_free(memory_file *f) {
  free(f->bytes);
  memset(f, 0, sizeof *f);
}

static inline memory_file read_data(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, CPB_TEST_DATA "/records/%s", name);
  FILE *in = fopen(path, "rb");
  if (in == NULL) fail_msg("cannot open %s", path);
  memory_file f = {0};
  uint8_t buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, in)) > 0;) file_write(&f, f.size, buffer, n);
  fclose(in);
  f.patched = 0;
  return f;
}

/* --- Taking a file apart ---------------------------------------------------- */

typedef struct chunk {
  size_t begin, end;
  cpb_chunk_header header;
  uint8_t *data;
} chunk;

typedef struct chunks {
  chunk items[4096];
  size_t count;
} chunks;

/* Copies `size` bytes from *pos on, leaving block headers out. */
static inline void copy_without_block_headers(const memory_file *f, size_t *pos, uint8_t *out, size_t size) {
  for (size_t i = 0; i < size; ++*pos) {
    assert_true(*pos < f->size);
    if (*pos % BLOCK >= 24) out[i++] = f->bytes[*pos];
  }
}

static inline void check_block_headers(const memory_file *f, const chunk *c) {
  for (size_t pos = (c->begin + BLOCK - 1) / BLOCK * BLOCK; pos < c->end; pos += BLOCK) {
    assert_true(cpb_load64(f->bytes + pos) == cpb_hash_bytes(f->bytes + pos + 8, 16));
    assert_int_equal(cpb_load64(f->bytes + pos + 8), pos - c->begin);
    assert_int_equal(cpb_load64(f->bytes + pos + 16), c->end - pos);
  }
}

static inline size_t parse_chunk(const memory_file *f, size_t begin, chunk *c) {
  uint8_t h[40];
  size_t pos = begin;
  copy_without_block_headers(f, &pos, h, sizeof h);
  assert_true(cpb_load64(h) == cpb_hash_bytes(h + 8, 32));
  c->begin = begin;
  c->header =
      (cpb_chunk_header){cpb_load64(h + 8), cpb_load64(h + 16), cpb_load64(h + 24) >> 8, cpb_load64(h + 32), h[24]};
  size_t size = (size_t)c->header.data_size;
  c->data = malloc(size + 1);
  copy_without_block_headers(f, &pos, c->data, size);
  assert_true(cpb_hash_bytes(c->data, size) == c->header.data_hash);
  if (pos < begin + c->header.num_records) pos = begin + (size_t)c->header.num_records;
  while (pos % BLOCK >= 1 && pos % BLOCK <= 24) pos++;
  c->end = pos;
  check_block_headers(f, c);
  return pos;
}

static inline void chunks_free(chunks *all) {
  for (size_t i = 0; i < all->count; i++) free(all->items[i].data);
  free(all);
}

static inline chunks *parse(const memory_file *f) {
  chunks *all = calloc(1, sizeof *all);
  for (size_t pos = 0; pos < f->size; all->count++) {
    assert_true(all->count < 4096);
    pos = parse_chunk(f, pos, &all->items[all->count]);
    assert_true(pos <= f->size);
  }
  return all;
}

/* The records of simple chunks: `sizes` and all bytes, one after the other. */
typedef struct records {
  uint64_t sizes[250000], positions[250000];
  size_t count;
  cpb_buffer bytes;
} records;

static inline void decompress(uint8_t codec, cpb_span in, uint64_t max, cpb_buffer *out) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_codec_error error = {CPB_OK, ""};
  if (codec == 0) assert_true(cpb_buffer_append(out, in.data, in.size));
  else if (!cpb_decompress_all(&a, NULL, codec, in, max, out, &error)) fail_msg("%s", error.what);
}

static inline void parse_simple(const chunk *c, records *r) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const uint8_t *end = c->data + c->header.data_size;
  uint64_t sizes_size = 0, total = 0;
  const uint8_t *p = cpb_varint_read(c->data + 1, end, &sizes_size);
  assert_non_null(p);
  cpb_buffer sizes;
  cpb_buffer_init(&sizes, &a);
  decompress(c->data[0], (cpb_span){p, (size_t)sizes_size}, c->header.num_records * 10, &sizes);
  const uint8_t *s = sizes.data;
  for (uint64_t i = 0; i < c->header.num_records; i++, r->count++) {
    s = cpb_varint_read(s, sizes.data + sizes.size, &r->sizes[r->count]);
    assert_non_null(s);
    r->positions[r->count] = c->begin + i;
    total += r->sizes[r->count];
  }
  assert_ptr_equal(s, sizes.data + sizes.size);
  assert_int_equal(total, c->header.decoded_data_size);
  size_t before = r->bytes.size;
  p += sizes_size;
  decompress(c->data[0], (cpb_span){p, (size_t)(end - p)}, total, &r->bytes);
  assert_int_equal(r->bytes.size - before, total);
  cpb_buffer_free(&sizes);
}

static inline records *parse_records(const chunks *all) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  records *r = calloc(1, sizeof *r);
  cpb_buffer_init(&r->bytes, &a);
  for (size_t i = 0; i < all->count; i++)
    if (all->items[i].header.type == 'r') parse_simple(&all->items[i], r);
  return r;
}

static inline void records_free(records *r) {
  cpb_buffer_free(&r->bytes);
  free(r);
}

/* --- Writing ---------------------------------------------------------------- */

/* Takes all output; what the last step said. */
static inline cpb_step drain(cpb_record_writer *w, memory_file *f) {
  cpb_step step;
  while ((step = cpb_record_writer_step(w)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(w, &offset, &length);
    file_write(f, offset, data, length);
  }
  return step;
}

static inline cpb_record_writer_options options_for(cpb_codec codec) {
  cpb_record_writer_options o = {0};
  o.struct_size = sizeof o;
  o.codec.codec = codec;
  return o;
}

/* In pieces of `piece` bytes, 0: each record whole. */
static inline void write_record(cpb_record_writer *w, memory_file *f, const uint8_t *data, size_t size, size_t piece) {
  assert_int_equal(cpb_record_writer_begin_record(w, size), CPB_OK);
  assert_int_equal(drain(w, f), CPB_STEP_NEED);
  for (size_t done = 0, n; done < size; done += n) {
    n = piece == 0 || piece > size - done ? size - done : piece;
    assert_int_equal(cpb_record_writer_write(w, data + done, n), CPB_OK);
    assert_int_equal(drain(w, f), CPB_STEP_NEED);
  }
}

static inline void finish(cpb_record_writer *w, memory_file *f) {
  assert_int_equal(cpb_record_writer_finish(w), CPB_OK);
  assert_int_equal(drain(w, f), CPB_STEP_DONE);
  cpb_record_writer_free(w);
}

/* Appends records [from, to) of `r` to `f`. */
static inline void write_records(memory_file *f, const cpb_record_writer_options *o, const records *r, size_t from,
                                 size_t to, size_t piece) {
  cpb_record_writer *w = cpb_record_writer_new(NULL, o);
  const uint8_t *p = r->bytes.data;
  for (size_t i = 0; p != NULL && i < from; i++) p += r->sizes[i];
  for (size_t i = from; i < to; i++) {
    write_record(w, f, p, (size_t)r->sizes[i], piece);
    if (p != NULL) p += r->sizes[i]; /* NULL: they are all empty */
  }
  finish(w, f);
}

static inline uint8_t *noise(size_t size, unsigned seed) {
  uint8_t *bytes = malloc(size + 1);
  uint64_t x = seed * 2654435761u + 88172645463325252u;
  for (size_t i = 0; i < size; i++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    /* half of it compressible */
    bytes[i] = i / 4096 % 2 ? (uint8_t)x : (uint8_t)(x & 3);
  }
  return bytes;
}

static inline void assert_same_file(const memory_file *a, const memory_file *b, const char *what) {
  size_t at = 0;
  while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at]) at++;
  if (at < a->size || at < b->size)
    fail_msg("%s: %zu and %zu bytes, different from byte %zu on", what, a->size, b->size, at);
}

#endif

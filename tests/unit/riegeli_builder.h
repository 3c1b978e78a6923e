/* Builds Riegeli/records files byte by byte for the reader's tests, without the
 * writer: uncompressed simple chunks, or chunks with any header and data. */
#ifndef RIEGELI_BUILDER_H
#define RIEGELI_BUILDER_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "riegeli/block.h"
#include "riegeli/highwayhash.h"

typedef struct built_record {
  uint64_t chunk_begin, index;
  size_t offset, size; /* in `contents` */
} built_record;

typedef struct built_file {
  uint8_t *bytes;
  size_t size;
  uint8_t *contents; /* of all records */
  size_t contents_size;
  built_record *records;
  size_t num_records;
} built_file;

static inline void built_free(built_file *f) {
  free(f->bytes);
  free(f->contents);
  free(f->records);
  memset(f, 0, sizeof *f);
}

static inline void put_bytes(built_file *f, uint64_t chunk_begin, uint64_t chunk_end, const void *data, size_t size) {
  const uint8_t *p = data;
  f->bytes = realloc(f->bytes, f->size + size + (size / 65000 + 2) * CPB_BLOCK_HEADER_SIZE);
  for (size_t i = 0; i < size; i++) {
    if (f->size % CPB_BLOCK_SIZE == 0) {
      cpb_block_header header = {f->size - chunk_begin, chunk_end - f->size};
      cpb_block_header_encode(&header, f->bytes + f->size);
      f->size += CPB_BLOCK_HEADER_SIZE;
    }
    f->bytes[f->size++] = p[i];
  }
}

/* A chunk with the right hashes, block headers and padding. */
static inline void put_chunk(built_file *f, uint8_t type, const void *data, size_t size, uint64_t num_records,
                             uint64_t decoded_size) {
  cpb_chunk_header header = {size, cpb_hash_bytes(data, size), num_records, decoded_size, type};
  uint8_t bytes[CPB_CHUNK_HEADER_SIZE];
  uint64_t begin = f->size, end;
  cpb_chunk_header_encode(&header, bytes);
  cpb_chunk_end(begin, size, num_records, &end);
  put_bytes(f, begin, end, bytes, sizeof bytes);
  put_bytes(f, begin, end, data, size);
  while (f->size < end) put_bytes(f, begin, end, "", 1);
}

static inline void put_signature(built_file *f) { put_chunk(f, CPB_CHUNK_SIGNATURE, "", 0, 0, 0); }

/* Adds records of these sizes at the end of the file, whose bytes count up from
 * the number of the record; returns where their contents begin. */
static inline size_t add_records(built_file *f, const size_t *sizes, size_t count) {
  size_t begin = f->contents_size;
  f->records = realloc(f->records, (f->num_records + count) * sizeof *f->records);
  for (size_t i = 0; i < count; i++) {
    built_record record = {f->size, i, f->contents_size, sizes[i]};
    f->contents = realloc(f->contents, f->contents_size + sizes[i] + 1);
    for (size_t k = 0; k < sizes[i]; k++)
      f->contents[f->contents_size++] = (uint8_t)(f->num_records + 31 * k + k / 251);
    f->records[f->num_records++] = record;
  }
  return begin;
}

/* The parts of a simple chunk, put together with the codec's name in front. */
static inline void put_simple(built_file *f, uint8_t codec, cpb_span sizes, cpb_span values, size_t count,
                              uint64_t decoded_size) {
  uint8_t *data = malloc(1 + CPB_VARINT_MAX + sizes.size + values.size), *p = data;
  *p++ = codec;
  p = cpb_varint_write(p, sizes.size);
  if (sizes.size > 0) memcpy(p, sizes.data, sizes.size);
  if (values.size > 0) memcpy(p + sizes.size, values.data, values.size);
  p += sizes.size + values.size;
  put_chunk(f, CPB_CHUNK_SIMPLE, data, (size_t)(p - data), count, decoded_size);
  free(data);
}

static inline cpb_span size_varints(const size_t *sizes, size_t count) {
  uint8_t *data = malloc(count * CPB_VARINT_MAX + 1), *p = data;
  for (size_t i = 0; i < count; i++) p = cpb_varint_write(p, sizes[i]);
  return (cpb_span){data, (size_t)(p - data)};
}

/* An uncompressed simple chunk. */
static inline void put_records(built_file *f, const size_t *sizes, size_t count) {
  size_t begin = add_records(f, sizes, count), size = f->contents_size - begin;
  cpb_span varints = size_varints(sizes, count);
  put_simple(f, 0, varints, (cpb_span){size > 0 ? f->contents + begin : NULL, size}, count, size);
  free((void *)varints.data);
}

/* A padding chunk up to the next block boundary, so that a file may follow. */
static inline void put_padding_to_block(built_file *f) {
  uint8_t zeros[65536] = {0};
  uint64_t left = cpb_block_remaining(f->size);
  if (left < CPB_CHUNK_HEADER_SIZE) left += CPB_BLOCK_USABLE; /* past one more block header */
  put_chunk(f, CPB_CHUNK_PADDING, zeros, (size_t)(left - CPB_CHUNK_HEADER_SIZE), 0, 0);
}

#endif

/* Splitting and merging in memory, and messages to do it with. */
#ifndef SPLIT_HELP_H
#define SPLIT_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "chunked/index/metadata.h"
#include "cpb/chunked.h"
#include "cpb/message.h"
#include "cpb/split.h"
#include "proto/wire.h"

/* --- Writing messages ----------------------------------------------------- */

typedef struct bytes {
  uint8_t *data;
  size_t size;
} bytes;

static inline bytes *put(bytes *b, const void *data, size_t size) {
  b->data = realloc(b->data, b->size + size + 1);
  if (size > 0) memcpy(b->data + b->size, data, size);
  b->size += size;
  return b;
}

static inline bytes *put_head(bytes *b, uint32_t number, cpb_wire_type type) {
  uint8_t tag[CPB_WIRE_HEADER_MAX];
  return put(b, tag, (size_t)(cpb_wire_put_tag(tag, number, type) - tag));
}

static inline bytes *put_int(bytes *b, uint32_t number, uint64_t value) {
  uint8_t varint[CPB_VARINT_MAX];
  put_head(b, number, CPB_WIRE_VARINT);
  return put(b, varint, (size_t)(cpb_varint_write(varint, value) - varint));
}

static inline bytes *put_bytes(bytes *b, uint32_t number, const void *data, size_t size) {
  uint8_t head[CPB_WIRE_HEADER_MAX];
  put(b, head, (size_t)(cpb_wire_put_len(head, number, size) - head));
  return put(b, data, size);
}

static inline bytes *put_text(bytes *b, uint32_t number, const char *text) {
  return put_bytes(b, number, text, strlen(text));
}

/* Takes `message`. */
static inline bytes *put_message(bytes *b, uint32_t number, bytes message) {
  put_bytes(b, number, message.data, message.size);
  free(message.data);
  return b;
}

/* `size` bytes that no codec makes smaller. */
static inline bytes noise(size_t size, uint32_t seed) {
  bytes b = {malloc(size + 1), size};
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < size; i++) {
    state = state * 1664525u + 1013904223u;
    b.data[i] = (uint8_t)(state >> 24);
  }
  return b;
}

/* --- Splitting ------------------------------------------------------------ */

typedef struct split_file {
  cpb_code code; /* what splitting ended with */
  cpb_error error;
  int is_split;
  bytes file;
  bytes *chunks; /* as the file's records say, without the index */
  size_t num_chunks;
  cpb_record *records;
  char *codecs;   /* of each chunk's Riegeli chunk */
  bytes metadata; /* the index's record */
  cpb_metadata index;
} split_file;

/* The space that `write_at` takes: to grow byte by byte would copy all of it each time. */
static inline size_t space_of(size_t size) {
  size_t space = 64;
  while (space < size) space *= 2;
  return space;
}

/* `b` is empty at first, and filled by this function only. */
static inline void write_at(bytes *b, uint64_t offset, const uint8_t *data, size_t size) {
  size_t end = (size_t)offset + size;
  if (b->data == NULL || space_of(end) > space_of(b->size)) b->data = realloc(b->data, space_of(end));
  if (end > b->size) b->size = end;
  memcpy(b->data + offset, data, size);
}

/* When all is written: a sanitizer then sees a read behind the end. */
static inline void trim(bytes *b) {
  if (b->size > 0) b->data = realloc(b->data, b->size);
}

/* At most `piece` bytes a time (0: what is asked for), always in a block of
 * their own, so that a sanitizer sees a read of what is no longer lent. */
static inline uint8_t *lend(cpb_input *input, bytes message, size_t piece, uint8_t *lent) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE) {
    cpb_input_end(input, message.size);
    return lent;
  }
  assert_true(need.kind == CPB_NEED_RANGE && need.length > 0);
  if (need.offset >= message.size) { /* the input has become shorter */
    cpb_input_end(input, message.size);
    return lent;
  }
  size_t length = piece > 0 && piece < need.length ? piece : need.length;
  if (length > message.size - need.offset) length = message.size - (size_t)need.offset;
  free(lent);
  lent = malloc(length);
  memcpy(lent, message.data + need.offset, length);
  cpb_input_supply(input, need.offset, lent, length);
  return lent;
}

static inline cpb_step run_split(cpb_split *split, bytes message, size_t piece, bytes *file) {
  uint8_t *lent = NULL;
  cpb_step step;
  for (;;) {
    step = cpb_split_step(split);
    if (step == CPB_STEP_NEED) {
      lent = lend(cpb_split_input(split), message, piece, lent);
    } else if (step == CPB_STEP_OUTPUT) {
      uint64_t offset;
      size_t length;
      const uint8_t *data = cpb_split_output(split, &offset, &length);
      write_at(file, offset, data, length);
    } else {
      break;
    }
  }
  free(lent);
  trim(file);
  return step;
}

/* --- Reading the file back ------------------------------------------------ */

static inline void add_record(split_file *f, const cpb_record *record, char codec) {
  f->chunks = realloc(f->chunks, (f->num_chunks + 1) * sizeof *f->chunks);
  f->records = realloc(f->records, (f->num_chunks + 1) * sizeof *f->records);
  f->codecs = realloc(f->codecs, f->num_chunks + 1);
  f->chunks[f->num_chunks] = (bytes){NULL, 0};
  f->codecs[f->num_chunks] = codec;
  f->records[f->num_chunks++] = *record;
}

static inline void read_records(split_file *f) {
  cpb_record_reader *reader = cpb_record_reader_new(NULL, NULL);
  cpb_input_supply(cpb_record_reader_input(reader), 0, f->file.data, f->file.size);
  cpb_step step;
  while ((step = cpb_record_reader_step(reader)) != CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      cpb_input_supply(cpb_record_reader_input(reader), 0, f->file.data, f->file.size);
      cpb_input_end(cpb_record_reader_input(reader), f->file.size);
    } else if (step == CPB_STEP_RECORD) {
      add_record(f, cpb_record_reader_record(reader), cpb_record_reader_chunk(reader)->codec);
    } else {
      assert_int_equal(step, CPB_STEP_DATA);
      size_t length;
      const uint8_t *data = cpb_record_reader_data(reader, &length);
      put(&f->chunks[f->num_chunks - 1], data, length);
    }
  }
  cpb_record_reader_free(reader);
}

static inline void read_index(split_file *f) {
  cpb_error error = {0};
  const cpb_limits limits = {.chunks = 1u << 24, .depth = 100};
  f->metadata = f->chunks[--f->num_chunks];
  const cpb_span span = {f->metadata.data, f->metadata.size};
  assert_true(cpb_metadata_decode(&f->index, false, span, &limits, &error));
  assert_int_equal(f->index.num_chunks, f->num_chunks);
  for (size_t i = 0; i < f->num_chunks; i++) {
    assert_int_equal(cpb_metadata_chunk(&f->index, i).size, f->chunks[i].size);
    assert_int_equal(cpb_metadata_chunk(&f->index, i).offset, f->records[i].position);
  }
}

static inline split_file split_with(const cpb_split_options *options, bytes message, size_t piece) {
  split_file f = {.code = CPB_OK};
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata_init(&f.index, &a);
  cpb_split *split = cpb_split_new(NULL, options);
  assert_non_null(split);
  if (run_split(split, message, piece, &f.file) == CPB_STEP_DONE) {
    f.is_split = cpb_split_is_split(split);
    read_records(&f);
    read_index(&f);
  }
  f.error = *cpb_split_error(split);
  f.code = f.error.code;
  cpb_split_free(split);
  return f;
}

/* --- Merging -------------------------------------------------------------- */

/* The message that the chunks are merged to. */
static inline bytes merged(const split_file *f) {
  cpb_error error = {0};
  cpb_chunk_bytes *chunks = calloc(f->num_chunks, sizeof *chunks);
  for (size_t i = 0; i < f->num_chunks; i++)
    chunks[i] = (cpb_chunk_bytes){f->chunks[i].data, f->chunks[i].size, cpb_metadata_chunk(&f->index, i).type};
  cpb_index *index = cpb_index_from_metadata(NULL, NULL, f->metadata.data, f->metadata.size, &error);
  assert_non_null(index);
  cpb_merge *merge = cpb_merge_from_chunks(NULL, index, chunks, f->num_chunks, NULL);
  assert_int_equal(cpb_merge_step(merge), CPB_STEP_DONE);
  assert_int_equal(cpb_merge_read(merge, 0, UINT64_MAX), CPB_OK);
  bytes out = {NULL, 0};
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_DATA) {
    size_t length;
    const uint8_t *data = cpb_merge_data(merge, &length);
    write_at(&out, out.size, data, length);
  }
  assert_int_equal(step, CPB_STEP_DONE);
  cpb_merge_free(merge);
  cpb_index_free(index);
  free(chunks);
  return out;
}

/* --- The index ------------------------------------------------------------ */

/* The field tag of the chunk's node as text: "1[7]5{value}8 4"; "-" for a
 * slice or the root. */
static inline const char *tag_of(const split_file *f, uint64_t chunk, char text[128]) {
  const cpb_metadata *m = &f->index;
  text[0] = 0;
  for (size_t i = 0; i < m->num_nodes; i++) {
    const cpb_chunked_node n = cpb_metadata_node(m, (uint32_t)i);
    if (n.chunk != chunk) continue;
    if (n.num_tags == 0) return "-";
    for (uint32_t t = n.first_tag; t < n.first_tag + n.num_tags; t++) {
      const cpb_tag tag = cpb_metadata_tag(m, t);
      size_t at = strlen(text);
      if (tag.kind == CPB_TAG_KEY_STRING) {
        snprintf(text + at, 128 - at, "{%.*s}", (int)tag.length, (const char *)m->text.data + tag.value);
      } else {
        const char *format = tag.kind == CPB_TAG_FIELD ? " %d" : tag.kind == CPB_TAG_INDEX ? "[%d]" : "{%d}";
        snprintf(text + at, 128 - at, format, (int)tag.value);
      }
    }
    return text + (text[0] == ' ');
  }
  return "none";
}

/* The chunk that hangs at `tag` under any chunk; num_chunks when there is none. */
static inline size_t chunk_at(const split_file *f, const char *tag) {
  char text[128];
  size_t i = 0;
  while (i < f->num_chunks && strcmp(tag_of(f, i, text), tag) != 0) i++;
  return i;
}

/* --- Together ------------------------------------------------------------- */

static inline void free_split(split_file *f) {
  for (size_t i = 0; i < f->num_chunks; i++) free(f->chunks[i].data);
  free(f->chunks);
  free(f->records);
  free(f->codecs);
  free(f->file.data);
  free(f->metadata.data);
  cpb_metadata_free(&f->index);
}

#endif

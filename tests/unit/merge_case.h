/* Merging chunks in memory, for tests: an index built step by step, chunks as
 * byte strings, and the merged message as a buffer. */
#ifndef MERGE_CASE_H
#define MERGE_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/status.h"
#include "chunked/index/metadata.h"
#include "cpb/chunked.h"

enum { MERGE_CASE_CHUNKS = 4096 };

typedef struct merge_case {
  cpb_metadata index;
  cpb_chunk_bytes chunks[MERGE_CASE_CHUNKS];
  size_t num_chunks;
} merge_case;

static inline void merge_case_init(merge_case *c) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  memset(c, 0, sizeof *c);
  cpb_metadata_init(&c->index, &a);
}

static inline void merge_case_free(merge_case *c) {
  for (size_t i = 0; i < c->num_chunks; i++) free((void *)c->chunks[i].data);
  cpb_metadata_free(&c->index);
}

/* Adds a chunk and returns its number. */
static inline uint64_t add_chunk(merge_case *c, uint32_t type, const void *data, size_t size) {
  void *copy = malloc(size + 1);
  if (size > 0) memcpy(copy, data, size);
  assert_true(c->num_chunks < MERGE_CASE_CHUNKS);
  c->chunks[c->num_chunks] = (cpb_chunk_bytes){copy, size, type};
  assert_true(cpb_metadata_add_chunk(&c->index, (cpb_chunk_entry){size, 64 + c->num_chunks, type}));
  return c->num_chunks++;
}

static inline uint64_t add_message(merge_case *c, const char *text, size_t size) {
  return add_chunk(c, CPB_CHUNK_MESSAGE, text, size);
}
#define MESSAGE(c, literal) add_message(c, literal, sizeof(literal) - 1)
#define BYTES(c, literal) add_chunk(c, CPB_CHUNK_BYTES, literal, sizeof(literal) - 1)

/* Adds a node whose field tag is written as "1", "2[0].5[\"key\"].3", "7[true]",
 * or "" for a slice. */
static inline uint32_t add_node(merge_case *c, uint32_t parent, const char *path, uint64_t chunk) {
  uint32_t node = cpb_metadata_add_node(&c->index, parent, chunk);
  assert_true(node != CPB_NO_NODE);
  assert_true(cpb_metadata_set_message(&c->index, node, true));
  while (*path != '\0') {
    cpb_tag tag = {.kind = CPB_TAG_FIELD};
    if (*path == '.') path++;
    if (*path == '[' && path[1] == '"') {
      const char *end = strchr(path + 2, '"');
      assert_true(cpb_metadata_add_string_key(&c->index, node,
                                              (cpb_span){(const uint8_t *)path + 2, (size_t)(end - path - 2)}));
      path = end + 2;
      continue;
    }
    if (*path == '[') {
      tag.kind = CPB_TAG_INDEX;
      path++;
    }
    if (*path == '#') { /* [#5]: a number as map key */
      tag.kind = CPB_TAG_KEY_INT64;
      path++;
    }
    if (strncmp(path, "true", 4) == 0) {
      tag.kind = CPB_TAG_KEY_BOOL;
      tag.value = 1;
      path += 4;
    } else {
      char *end;
      tag.value = *path == '-' ? (uint64_t)strtoll(path, &end, 10) : strtoull(path, &end, 10);
      path = end;
    }
    if (*path == ']') path++;
    assert_true(cpb_metadata_add_tag(&c->index, node, tag));
  }
  return node;
}

/* Merges, in one go and without a file. Returns the error's code; `out` holds
 * the message, `error` what went wrong. */
static inline cpb_code merge_with(merge_case *c, const cpb_allocator *a, const cpb_merge_options *options,
                                  cpb_buffer *out, cpb_error *error) {
  memset(error, 0, sizeof *error);
  cpb_allocator plain = cpb_allocator_or_default(NULL);
  cpb_buffer metadata;
  cpb_buffer_init(&metadata, &plain);
  assert_true(cpb_metadata_encode(&c->index, &metadata, error));
  cpb_index *index = cpb_index_from_metadata(a, NULL, metadata.data, metadata.size, error);
  cpb_buffer_free(&metadata);
  if (index == NULL) return error->code;
  cpb_merge *m = cpb_merge_from_chunks(a, index, c->chunks, c->num_chunks, options);
  if (m == NULL) {
    cpb_fail_memory(error);
  } else {
    cpb_step step = cpb_merge_step(m);
    if (step == CPB_STEP_DONE) assert_int_equal(cpb_merge_read(m, 0, UINT64_MAX), CPB_OK);
    while (step != CPB_STEP_ERROR && (step = cpb_merge_step(m)) == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *data = cpb_merge_data(m, &length);
      assert_true(cpb_buffer_append(out, data, length));
    }
    if (step == CPB_STEP_DONE) assert_int_equal(cpb_merge_size(m), out->size);
    *error = *cpb_merge_error(m);
  }
  cpb_merge_free(m);
  cpb_index_free(index);
  return error->code;
}

static inline void expect_bytes(merge_case *c, const cpb_message_type *type, const void *wanted, size_t size) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_merge_options options = {.struct_size = sizeof options, .type = type};
  cpb_buffer out;
  cpb_error error;
  cpb_buffer_init(&out, &a);
  cpb_code code = merge_with(c, NULL, &options, &out, &error);
  if (code != CPB_OK) fail_msg("%s: %s", cpb_code_name(code), error.message);
  assert_int_equal(out.size, size);
  if (size > 0) assert_memory_equal(out.data, wanted, size);
  cpb_buffer_free(&out);
  merge_case_free(c);
}
#define EXPECT(c, literal) expect_bytes(c, NULL, literal, sizeof(literal) - 1)

/* Expects the code and that the message names what `part` says. */
static inline void expect_error(merge_case *c, const cpb_merge_options *options, cpb_code code, const char *part) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer out;
  cpb_error error;
  cpb_buffer_init(&out, &a);
  assert_int_equal(merge_with(c, NULL, options, &out, &error), code);
  if (strstr(error.message, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", error.message, part);
  cpb_buffer_free(&out);
  merge_case_free(c);
}
#define EXPECT_ERROR(c, code, part) expect_error(c, NULL, code, part)

#endif

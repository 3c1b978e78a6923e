#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/limits.h"
#include "chunked/index/metadata.h"
#include "failing_allocator.h"

/* Serialized by Google's protobuf:
 * version {splitter_version: 1 bad_consumers: [7, -3]}
 * chunks {type: MESSAGE size: 100 offset: 64}
 * chunks {type: BYTES size: 5000000000 offset: 4294967361}
 * chunks {}
 * message {
 *   chunk_index: 0
 *   chunked_fields {
 *     field_tag {field: 2} field_tag {index: 3} field_tag {field: 5} field_tag {map_key {s: "value"}}
 *     message {
 *       chunk_index: 1
 *       chunked_fields {field_tag {field: 536870911} message {chunk_index: 300}}
 *     }
 *   }
 *   chunked_fields {message {chunk_index: 2}}
 *   chunked_fields {
 *     field_tag {map_key {boolean: false}} field_tag {map_key {ui32: 4294967295}}
 *     field_tag {map_key {ui64: 18446744073709551615}} field_tag {map_key {i32: -1}}
 *     field_tag {map_key {i64: -9223372036854775808}} field_tag {map_key {s: ""}} field_tag {index: 0}
 *     message {}
 *   }
 *   chunked_fields {field_tag {field: 1}}
 * } */
static const char everything[] =
    "\x0a\x0f\x08\x01\x1a\x0b\x07\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x06\x08\x01\x10\x64\x18"
    "\x40\x12\x0e\x08\x02\x10\x80\xe4\x97\xd0\x12\x18\xc1\x80\x80\x80\x10\x12\x00\x1a\x85\x01\x08\x00"
    "\x12\x2a\x0a\x02\x08\x02\x0a\x02\x18\x03\x0a\x02\x08\x05\x0a\x09\x12\x07\x0a\x05\x76\x61\x6c\x75"
    "\x65\x1a\x11\x08\x01\x12\x0d\x0a\x06\x08\xff\xff\xff\xff\x01\x1a\x03\x08\xac\x02\x12\x04\x1a\x02"
    "\x08\x02\x12\x49\x0a\x04\x12\x02\x10\x00\x0a\x08\x12\x06\x18\xff\xff\xff\xff\x0f\x0a\x0d\x12\x0b"
    "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x0a\x0d\x12\x0b\x28\xff\xff\xff\xff\xff\xff\xff\xff"
    "\xff\x01\x0a\x0d\x12\x0b\x30\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x0a\x04\x12\x02\x0a\x00\x0a"
    "\x02\x18\x00\x1a\x00\x12\x04\x0a\x02\x08\x01";

#define SPAN(text) ((cpb_span){(const uint8_t *)(text), sizeof(text) - 1})

typedef struct {
  cpb_metadata m;
  cpb_error error;
} decoded;

static void decode_with(decoded *d, const cpb_allocator *a, cpb_span bytes, const cpb_limits *limits, bool bare) {
  memset(d, 0, sizeof *d);
  cpb_metadata_init(&d->m, a);
  const cpb_limits all = cpb_limits_or_default(limits);
  bool done = cpb_metadata_decode(&d->m, bare, bytes, &all, &d->error);
  assert_int_equal(done, d->error.code == CPB_OK);
}

static void decode(decoded *d, cpb_span bytes) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  decode_with(d, &a, bytes, NULL, false);
}

static void expect_node(const cpb_metadata *m, uint32_t i, uint64_t chunk, uint32_t parent, uint32_t next,
                        uint32_t num_tags) {
  assert_true(cpb_metadata_node(m, i).chunk == chunk);
  assert_int_equal(cpb_metadata_node(m, i).parent, parent);
  assert_int_equal(cpb_metadata_node(m, i).next, next);
  assert_int_equal(cpb_metadata_node(m, i).num_tags, num_tags);
}

static void expect_step(const cpb_metadata *m, uint32_t i, cpb_tag_kind kind, uint64_t value) {
  assert_int_equal(cpb_metadata_tag(m, i).kind, kind);
  assert_true(cpb_metadata_tag(m, i).value == value);
}

static void an_index_is_decoded_as_protobuf_wrote_it(void **state) {
  (void)state;
  decoded d;
  decode(&d, SPAN(everything));
  const cpb_metadata *m = &d.m;
  assert_string_equal(d.error.message, "");
  assert_int_equal(m->splitter_version, 1);
  assert_int_equal(m->join_version, 0);
  assert_int_equal(m->num_bad_consumers, 2);
  assert_int_equal(m->bad_consumers[1], -3);
  assert_int_equal(m->num_chunks, 3);
  assert_int_equal(cpb_metadata_chunk(m, 0).type, CPB_CHUNK_MESSAGE);
  assert_true(cpb_metadata_chunk(m, 1).size == 5000000000 && cpb_metadata_chunk(m, 1).offset == 4294967361);
  assert_int_equal(cpb_metadata_chunk(m, 2).type, CPB_CHUNK_UNSET);

  assert_int_equal(m->num_nodes, 6);
  expect_node(m, 0, 0, CPB_NO_NODE, CPB_NO_NODE, 0);
  expect_node(m, 1, 1, 0, 3, 4);
  expect_node(m, 2, 300, 1, CPB_NO_NODE, 1);
  expect_node(m, 3, 2, 0, 4, 0);
  expect_node(m, 4, CPB_NO_CHUNK, 0, 5, 7);
  expect_node(m, 5, CPB_NO_CHUNK, 0, CPB_NO_NODE, 1);
  assert_true(cpb_metadata_node(m, 4).has_message);
  assert_false(cpb_metadata_node(m, 5).has_message);

  assert_int_equal(cpb_metadata_node(m, 2).first_tag, 4);
  expect_step(m, 0, CPB_TAG_FIELD, 2);
  expect_step(m, 1, CPB_TAG_INDEX, 3);
  assert_int_equal(cpb_metadata_tag(m, 3).length, 5);
  assert_memory_equal(m->text.data + cpb_metadata_tag(m, 3).value, "value", 5);
  expect_step(m, 5, CPB_TAG_KEY_BOOL, 0);
  expect_step(m, 6, CPB_TAG_KEY_UINT32, UINT32_MAX);
  expect_step(m, 7, CPB_TAG_KEY_UINT64, UINT64_MAX);
  expect_step(m, 8, CPB_TAG_KEY_INT32, UINT64_MAX);
  expect_step(m, 9, CPB_TAG_KEY_INT64, UINT64_C(1) << 63);
  assert_int_equal(cpb_metadata_tag(m, 10).kind, CPB_TAG_KEY_STRING);
  assert_int_equal(cpb_metadata_tag(m, 10).length, 0);
  cpb_metadata_free(&d.m);
}

static void a_canonical_index_is_encoded_to_the_same_bytes(void **state) {
  (void)state;
  decoded d;
  decode(&d, SPAN(everything));
  cpb_buffer out;
  cpb_buffer_init(&out, &d.m.allocator);
  assert_true(cpb_metadata_encode(&d.m, &out, &d.error));
  assert_int_equal(out.size, sizeof everything - 1);
  assert_memory_equal(out.data, everything, out.size);
  cpb_buffer_free(&out);
  cpb_metadata_free(&d.m);
}

static void nodes_added_out_of_order_are_written_in_the_tree_s_order(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata m;
  cpb_error error = {0};
  cpb_metadata_init(&m, &a);
  cpb_metadata_add_node(&m, CPB_NO_NODE, 0);
  uint32_t first = cpb_metadata_add_node(&m, 0, 1);
  cpb_metadata_add_node(&m, 0, 2);
  cpb_metadata_add_node(&m, first, 3);
  cpb_buffer out;
  cpb_buffer_init(&out, &a);
  assert_true(cpb_metadata_encode(&m, &out, &error));
  const char expected[] = "\x1a\x14\x08\x00\x12\x0a\x1a\x08\x08\x01\x12\x04\x1a\x02\x08\x03\x12\x04\x1a\x02\x08\x02";
  assert_int_equal(out.size, sizeof expected - 1);
  assert_memory_equal(out.data, expected, out.size);
  cpb_buffer_free(&out);
  cpb_metadata_free(&m);
}

/* Against links that are searched for: in the order of a file and in any other. */
static void links_are_those_of_the_parents(void **state) {
  (void)state;
  enum { NODES = 60, RUNS = 200 };
  cpb_allocator a = cpb_allocator_or_default(NULL);
  for (unsigned run = 0; run < RUNS; run++) {
    cpb_metadata m;
    uint32_t parents[NODES] = {CPB_NO_NODE}, random = run;
    cpb_metadata_init(&m, &a);
    cpb_metadata_add_node(&m, CPB_NO_NODE, 0);
    for (uint32_t i = 1; i < NODES; i++) {
      random = random * 1664525 + 1013904223;
      parents[i] = run % 2 ? (random >> 16) % i : i - 1;
      for (uint32_t up = random >> 16 & 3; run % 2 == 0 && up > 0 && parents[i] > 0; up--)
        parents[i] = parents[parents[i]];
      assert_int_equal(cpb_metadata_add_node(&m, parents[i], random >> 8), i);
    }
    for (uint32_t i = 0; i < NODES; i++) {
      uint32_t child = i + 1, next = i + 1;
      while (child < NODES && parents[child] != i) child++;
      while (next < NODES && parents[next] != parents[i]) next++;
      const cpb_chunked_node node = cpb_metadata_node(&m, i);
      assert_int_equal(node.parent, parents[i]);
      assert_int_equal(node.first_child, child < NODES ? child : CPB_NO_NODE);
      assert_int_equal(node.next, next < NODES ? next : CPB_NO_NODE);
    }
    cpb_metadata_free(&m);
  }
}

/* Entries and tags that are not as writers put them: read as protobuf does. */
static void unusual_forms_mean_what_they_do_in_protobuf(void **state) {
  (void)state;
  static const struct {
    cpb_span bytes;
    uint64_t size, offset;
    uint32_t type;
  } chunks[] = {
      {{(const uint8_t *)"\x12\x06\x18\x07\x10\x05\x08\x01", 8}, 5, 7, 1},          /* backwards */
      {{(const uint8_t *)"\x12\x06\x10\x05\x10\x06\x08\x01", 8}, 6, 0, 1},          /* twice: the last counts */
      {{(const uint8_t *)"\x12\x07\x10\x85\x80\x00\x20\x01\x58", 9}, 0, 0, 0},      /* cut off */
      {{(const uint8_t *)"\x12\x07\x10\x85\x80\x00\x20\x01", 8}, 0, 0, 0},          /* its length is wrong */
      {{(const uint8_t *)"\x12\x08\x10\x85\x80\x00\x58\x01\x18\x02", 10}, 5, 2, 0}, /* overlong; unknown field */
      {{(const uint8_t *)"\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13}, 0, 0, UINT32_MAX}, /* -1 */
  };
  for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
    decoded d;
    decode(&d, chunks[i].bytes);
    bool damaged = i == 2 || i == 3;
    assert_int_equal(d.error.code, damaged ? CPB_E_DAMAGED : CPB_OK);
    if (!damaged) {
      const cpb_chunk_entry entry = cpb_metadata_chunk(&d.m, 0);
      assert_true(entry.size == chunks[i].size && entry.offset == chunks[i].offset && entry.type == chunks[i].type);
    }
    cpb_metadata_free(&d.m);
  }
  decoded d;
  decode(&d, SPAN("\x1a\x0e\x12\x0c\x0a\x06\x08\x81\x00\x08\x02\x18\x1a\x02\x08\x03"));
  assert_int_equal(d.error.code, CPB_E_DAMAGED); /* a FieldIndex that ends within a field */
  cpb_metadata_free(&d.m);
  decode(&d, SPAN("\x1a\x0d\x12\x0b\x0a\x05\x08\x81\x00\x08\x02\x1a\x02\x08\x03"));
  assert_string_equal(d.error.message, "");
  expect_node(&d.m, 1, 3, 0, CPB_NO_NODE, 1);
  const cpb_metadata *m = &d.m;
  expect_step(m, 0, CPB_TAG_FIELD, 2);
  cpb_metadata_free(&d.m);
}

static void repeated_singular_fields_merge_as_in_protobuf(void **state) {
  (void)state;
  decoded d;
  /* version twice, message twice: chunk_index 1 then 2, a field from each; a
   * field whose tag follows its message, an unknown field everywhere. */
  decode(&d, SPAN("\x0a\x02\x08\x05"
                  "\x1a\x06\x08\x01\x12\x02\x1a\x00"
                  "\x0a\x02\x10\x00"
                  "\x58\x01"
                  "\x1a\x10\x08\x02\x12\x0a\x1a\x04\x08\x09\x58\x01\x0a\x02\x08\x07\x58\x01"));
  assert_string_equal(d.error.message, "");
  assert_int_equal(d.m.splitter_version, 5);
  assert_int_equal(d.m.num_nodes, 3);
  assert_int_equal(cpb_metadata_node(&d.m, 0).chunk, 2);
  assert_int_equal(cpb_metadata_node(&d.m, 1).next, 2);
  expect_node(&d.m, 2, 9, 0, CPB_NO_NODE, 1);
  expect_step(&d.m, 0, CPB_TAG_FIELD, 7);
  cpb_metadata_free(&d.m);
}

static void an_empty_index_is_an_empty_message(void **state) {
  (void)state;
  decoded d;
  decode(&d, (cpb_span){NULL, 0});
  assert_int_equal(d.error.code, CPB_OK);
  assert_int_equal(d.m.num_nodes, 1);
  assert_false(cpb_metadata_node(&d.m, 0).has_message);
  cpb_metadata_free(&d.m);
}

static void mistakes_are_named(void **state) {
  (void)state;
  static const struct {
    cpb_span bytes;
    cpb_code code;
    const char *text;
  } cases[] = {
      {{(const uint8_t *)"\x1a\x04\x12\x02\x0a\x00", 6},
       CPB_E_DAMAGED,
       "FieldIndex at byte 6 of the chunk index: neither"},
      {{(const uint8_t *)"\x1a\x06\x12\x04\x0a\x02\x12\x00", 8},
       CPB_E_DAMAGED,
       "MapKey at byte 6 of the chunk index: no key"},
      {{(const uint8_t *)"\x1a\x05\x12\x03\x0a\x01\x0a", 7}, CPB_E_DAMAGED, "FieldIndex at byte 6 "},
      {{(const uint8_t *)"\x1a\x05\x12\x03\x0a\x02\x0a", 7}, CPB_E_DAMAGED, "past the end of its message at byte 4 "},
      {{(const uint8_t *)"\x12\x01\x12", 3}, CPB_E_DAMAGED, "ChunkInfo at byte 2 "},
      {{(const uint8_t *)"\x1a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13},
       CPB_E_DAMAGED,
       "chunk_index is 18446744073709551615"},
      {{(const uint8_t *)"\x0a\x02\x10\x09\x1a\x7f", 6}, CPB_E_UNSUPPORTED, "join_version is 9; libcpb"},
      {{(const uint8_t *)"\x0a\x03\x1a\x01\x01", 5}, CPB_E_UNSUPPORTED, "bad_consumers lists join version 1"},
      {{(const uint8_t *)"\x0a\x02\x18\x01", 4}, CPB_E_UNSUPPORTED, "bad_consumers lists join version 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    decoded d;
    decode(&d, cases[i].bytes);
    if (d.error.code != cases[i].code || strstr(d.error.message, cases[i].text) == NULL)
      fail_msg("case %zu: %s: %s", i, cpb_code_name(d.error.code), d.error.message);
    cpb_metadata_free(&d.m);
  }
}

/* `levels` ChunkedMessages, each in the one before. */
static void nested(cpb_buffer *out, size_t levels) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_metadata m;
  cpb_error error = {0};
  cpb_metadata_init(&m, &a);
  for (uint32_t i = 0; i < levels; i++) cpb_metadata_add_node(&m, i == 0 ? CPB_NO_NODE : i - 1, 1);
  cpb_buffer_init(out, &a);
  assert_true(cpb_metadata_encode(&m, out, &error));
  cpb_metadata_free(&m);
}

static cpb_code decode_nested(size_t levels, uint32_t depth) {
  cpb_limits limits = {.struct_size = sizeof limits, .depth = depth};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_buffer bytes;
  decoded d;
  nested(&bytes, levels);
  decode_with(&d, &a, (cpb_span){bytes.data, bytes.size}, &limits, false);
  if (d.error.code == CPB_OK) assert_int_equal(d.m.num_nodes, levels);
  cpb_metadata_free(&d.m);
  cpb_buffer_free(&bytes);
  return d.error.code;
}

static void nesting_is_limited_like_protobuf_s_and_never_recursed_into(void **state) {
  (void)state;
  assert_int_equal(decode_nested(50, 100), CPB_OK);
  assert_int_equal(decode_nested(51, 100), CPB_E_LIMIT);
  assert_int_equal(decode_nested(100000, 100), CPB_E_LIMIT);
  assert_int_equal(decode_nested(100000, UINT32_MAX), CPB_OK);
}

static void the_number_of_chunks_and_fields_is_limited(void **state) {
  (void)state;
  cpb_limits limits = {.struct_size = sizeof limits, .chunks = 2};
  cpb_allocator a = cpb_allocator_or_default(NULL);
  decoded d;
  decode_with(&d, &a, SPAN("\x12\x00\x12\x00\x12\x00"), &limits, false);
  assert_int_equal(d.error.code, CPB_E_LIMIT);
  assert_non_null(strstr(d.error.message, "more than 2 chunks"));
  cpb_metadata_free(&d.m);
  decode_with(&d, &a, SPAN("\x12\x00\x12\x00"), &limits, true);
  assert_int_equal(d.error.code, CPB_E_LIMIT);
  assert_non_null(strstr(d.error.message, "more than 2 fields"));
  cpb_metadata_free(&d.m);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  bool done = false;
  for (size_t n = 1; !done; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    decoded d;
    cpb_buffer out;
    cpb_buffer_init(&out, &a);
    decode_with(&d, &a, SPAN(everything), NULL, false);
    done = d.error.code == CPB_OK && cpb_metadata_encode(&d.m, &out, &d.error);
    assert_int_equal(d.error.code, done ? CPB_OK : CPB_E_MEMORY);
    assert_true(done == (f.calls < n));
    cpb_buffer_free(&out);
    cpb_metadata_free(&d.m);
    assert_int_equal(f.blocks, 0);
  }
}

static void damaged_bytes_never_do_worse_than_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < (sizeof everything - 1) * 8; i++) {
    uint8_t bytes[sizeof everything - 1];
    memcpy(bytes, everything, sizeof bytes);
    bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    decoded d;
    decode(&d, (cpb_span){bytes, sizeof bytes});
    cpb_buffer out;
    cpb_buffer_init(&out, &d.m.allocator);
    if (d.error.code == CPB_OK) assert_true(cpb_metadata_encode(&d.m, &out, &d.error));
    cpb_buffer_free(&out);
    cpb_metadata_free(&d.m);
    decode(&d, (cpb_span){bytes, i / 8});
    cpb_metadata_free(&d.m);
  }
}

/* --- In pieces -------------------------------------------------------------- */

static void decode_in_pieces(decoded *d, cpb_span bytes, bool bare, size_t piece) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_limits limits =
      cpb_limits_or_default(&(cpb_limits){.struct_size = sizeof limits, .chunks = 12, .depth = 9});
  cpb_metadata_decoder decoder;
  memset(d, 0, sizeof *d);
  cpb_metadata_init(&d->m, &a);
  cpb_metadata_decoder_begin(&decoder, &d->m, bare, bytes.size, &limits);
  size_t at = 0;
  do { /* each piece is gone when the next one comes */
    size_t size = bytes.size - at < piece ? bytes.size - at : piece;
    uint8_t *copy = malloc(size + 1);
    if (size > 0) memcpy(copy, bytes.data + at, size);
    cpb_metadata_decoder_feed(&decoder, (cpb_span){copy, size});
    free(copy);
    at += size;
  } while (at < bytes.size);
  bool done = cpb_metadata_decoder_end(&decoder, &d->error);
  assert_int_equal(done, d->error.code == CPB_OK);
  cpb_metadata_decoder_free(&decoder);
}

static bool same_tag(const cpb_metadata *m, cpb_tag a, const cpb_metadata *n, cpb_tag b) {
  if (a.kind != b.kind || a.length != b.length) return false;
  if (a.kind != CPB_TAG_KEY_STRING) return a.value == b.value;
  return a.length == 0 || memcmp(m->text.data + a.value, n->text.data + b.value, a.length) == 0;
}

static bool same_node(const cpb_metadata *m, const cpb_metadata *n, uint32_t i) {
  const cpb_chunked_node a = cpb_metadata_node(m, i), b = cpb_metadata_node(n, i);
  bool same = a.chunk == b.chunk && a.num_tags == b.num_tags && a.has_message == b.has_message;
  same = same && a.parent == b.parent && a.first_child == b.first_child && a.next == b.next;
  for (uint32_t t = 0; same && t < a.num_tags; t++)
    same = same_tag(m, cpb_metadata_tag(m, a.first_tag + t), n, cpb_metadata_tag(n, b.first_tag + t));
  return same;
}

static bool same_metadata(const cpb_metadata *m, const cpb_metadata *n) {
  bool same = m->splitter_version == n->splitter_version && m->join_version == n->join_version &&
              m->num_bad_consumers == n->num_bad_consumers && m->num_chunks == n->num_chunks &&
              m->num_nodes == n->num_nodes;
  for (size_t i = 0; same && i < m->num_bad_consumers; i++) same = m->bad_consumers[i] == n->bad_consumers[i];
  for (size_t i = 0; same && i < m->num_chunks; i++) {
    const cpb_chunk_entry a = cpb_metadata_chunk(m, i), b = cpb_metadata_chunk(n, i);
    same = a.type == b.type && a.size == b.size && a.offset == b.offset;
  }
  for (uint32_t i = 0; same && i < m->num_nodes; i++) same = same_node(m, n, i);
  return same;
}

/* In each piece size what it is whole. */
static void expect_same_in_pieces(cpb_span bytes, bool bare) {
  static const size_t pieces[] = {1, 2, 3, 7, 16, 61};
  decoded whole, d;
  decode_in_pieces(&whole, bytes, bare, bytes.size);
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    decode_in_pieces(&d, bytes, bare, pieces[i]);
    bool same = d.error.code == whole.error.code && strcmp(d.error.message, whole.error.message) == 0;
    if (!same) fail_msg("in pieces of %zu: %s; whole: %s", pieces[i], d.error.message, whole.error.message);
    if (whole.error.code == CPB_OK && !same_metadata(&d.m, &whole.m)) fail_msg("differs in pieces of %zu", pieces[i]);
    cpb_metadata_free(&d.m);
  }
  cpb_metadata_free(&whole.m);
}

/* Serialized by hand, as no writer puts tags after messages:
 * chunks {type: MESSAGE}
 * message {
 *   chunked_fields {
 *     field_tag {field: 1} message {chunked_fields {field_tag {map_key {s: "ab"}}}}
 *     field_tag {field: 2} message {chunked_fields {field_tag {map_key {s: "c"}}}}
 *     field_tag {field: 3} field_tag {map_key {s: "de"}}
 *   }
 * } */
static const char tags_in_turns[] =
    "\x12\x02\x08\x01\x1a\x2d\x12\x2b\x0a\x02\x08\x01\x1a\x0a\x12\x08\x0a\x06\x12\x04\x0a\x02"
    "ab\x0a\x02\x08\x02\x1a\x09\x12\x07\x0a\x05\x12\x03\x0a\x01"
    "c\x0a\x02\x08\x03\x0a\x06\x12\x04\x0a\x02"
    "de";

/* Whole and cut off, with each bit wrong, and as a bare message. */
static void an_index_is_the_same_in_pieces_of_any_size_also_when_it_is_damaged(void **state) {
  (void)state;
  const cpb_span samples[] = {SPAN(everything), SPAN(tags_in_turns)};
  for (size_t s = 0; s < 2; s++) {
    for (size_t i = 0; i <= samples[s].size; i++) expect_same_in_pieces((cpb_span){samples[s].data, i}, i % 2);
    for (size_t i = 0; i < samples[s].size * 8; i++) {
      uint8_t bytes[sizeof everything];
      memcpy(bytes, samples[s].data, samples[s].size);
      bytes[i / 8] ^= (uint8_t)(1 << i % 8);
      expect_same_in_pieces((cpb_span){bytes, samples[s].size}, false);
      expect_same_in_pieces((cpb_span){bytes, samples[s].size}, true);
    }
  }
}

static void tags_after_messages_stay_together(void **state) {
  (void)state;
  for (size_t piece = 1; piece < 20; piece++) {
    decoded d;
    decode_in_pieces(&d, SPAN(tags_in_turns), false, piece);
    const cpb_metadata *m = &d.m;
    assert_string_equal(d.error.message, "");
    assert_int_equal(m->num_nodes, 4);
    expect_node(m, 1, CPB_NO_CHUNK, 0, CPB_NO_NODE, 4);
    for (uint32_t i = 0; i < 3; i++) expect_step(m, cpb_metadata_node(m, 1).first_tag + i, CPB_TAG_FIELD, i + 1);
    cpb_tag key = cpb_metadata_tag(m, cpb_metadata_node(m, 1).first_tag + 3),
            child = cpb_metadata_tag(m, cpb_metadata_node(m, 2).first_tag);
    assert_memory_equal(m->text.data + key.value, "de", key.length);
    assert_memory_equal(m->text.data + child.value, "ab", child.length);
    cpb_metadata_free(&d.m);
  }
}

/* A tag and a message in turns, often: memory for the tags stays in proportion to them, though they move. */
static void tags_in_turns_take_linear_memory(void **state) {
  (void)state;
  enum { TURNS = 20000 };
  static const char turn[] = "\x0a\x02\x08\x01\x1a\x06\x12\x04\x0a\x02\x08\x02";
  const cpb_allocator system = cpb_allocator_or_default(NULL);
  const cpb_limits limits = cpb_limits_or_default(NULL);
  cpb_budget budget;
  cpb_budget_init(&budget, &system, TURNS * (2 * sizeof(cpb_chunked_node) + 8 * sizeof(cpb_tag)));
  const cpb_allocator a = cpb_budget_allocator(&budget);
  decoded d;
  cpb_buffer bytes;
  uint8_t head[CPB_WIRE_HEADER_MAX];
  cpb_buffer_init(&bytes, &system);
  cpb_buffer_append(&bytes, head, (size_t)(cpb_wire_put_len(head, 2, TURNS * (sizeof turn - 1)) - head));
  for (size_t i = 0; i < TURNS; i++) cpb_buffer_append(&bytes, turn, sizeof turn - 1);
  decode_with(&d, &a, (cpb_span){bytes.data, bytes.size}, &limits, true);
  assert_string_equal(d.error.message, "");
  assert_int_equal(cpb_metadata_node(&d.m, 1).num_tags, TURNS);
  cpb_metadata_free(&d.m);
  cpb_buffer_free(&bytes);
}

static void the_same_of_several_mistakes_is_reported_in_any_order(void **state) {
  (void)state;
  static const struct {
    cpb_span bytes;
    const char *text;
  } cases[] = {
      /* a chunk, then the index itself */
      {{(const uint8_t *)"\x12\x01\x12\x00", 4}, "tag with field number 0 at byte 3 "},
      /* a chunk and the tree, then a version that is not known */
      {{(const uint8_t *)"\x12\x01\x12\x1a\x01\x00\x0a\x02\x10\x09", 10}, "join_version is 9"},
      /* the tree, then a chunk, then the tree, then a chunk */
      {{(const uint8_t *)"\x1a\x01\x00\x12\x01\x12\x1a\x01\x00\x12\x01\x08", 12}, "ChunkInfo at byte 5 "},
      /* a message in a field, then a tag of the field, then the next field */
      {{(const uint8_t *)"\x1a\x0c\x12\x07\x1a\x01\x00\x0a\x02\x12\x00\x12\x01\x00", 14},
       "MapKey at byte 9 of the chunk index: no key"},
      /* two fields deep in one another: the outer one's tag */
      {{(const uint8_t *)"\x1a\x11\x12\x0f\x1a\x09\x12\x07\x1a\x01\x00\x0a\x02\x12\x00\x0a\x02\x12\x00", 19},
       "MapKey at byte 17 of the chunk index: no key"},
      /* a field, then the message that it is in: what comes first */
      {{(const uint8_t *)"\x1a\x05\x12\x02\x0a\x00\x00", 7}, "FieldIndex at byte 6 "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t piece = 1; piece <= cases[i].bytes.size; piece++) {
      decoded d;
      decode_in_pieces(&d, cases[i].bytes, false, piece);
      if (strstr(d.error.message, cases[i].text) == NULL) fail_msg("case %zu, %zu: %s", i, piece, d.error.message);
      cpb_metadata_free(&d.m);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_index_is_decoded_as_protobuf_wrote_it),
      cmocka_unit_test(a_canonical_index_is_encoded_to_the_same_bytes),
      cmocka_unit_test(nodes_added_out_of_order_are_written_in_the_tree_s_order),
      cmocka_unit_test(links_are_those_of_the_parents),
      cmocka_unit_test(unusual_forms_mean_what_they_do_in_protobuf),
      cmocka_unit_test(repeated_singular_fields_merge_as_in_protobuf),
      cmocka_unit_test(an_empty_index_is_an_empty_message),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(nesting_is_limited_like_protobuf_s_and_never_recursed_into),
      cmocka_unit_test(the_number_of_chunks_and_fields_is_limited),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(damaged_bytes_never_do_worse_than_fail),
      cmocka_unit_test(an_index_is_the_same_in_pieces_of_any_size_also_when_it_is_damaged),
      cmocka_unit_test(tags_after_messages_stay_together),
      cmocka_unit_test(tags_in_turns_take_linear_memory),
      cmocka_unit_test(the_same_of_several_mistakes_is_reported_in_any_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

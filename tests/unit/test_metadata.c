#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/alloc.h"
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
  bool done = bare ? cpb_metadata_decode_message(&d->m, bytes, limits, &d->error)
                   : cpb_metadata_decode(&d->m, bytes, limits, &d->error);
  assert_int_equal(done, d->error.code == CPB_OK);
}

static void decode(decoded *d, cpb_span bytes) {
  cpb_allocator a = cpb_allocator_or_default(NULL);
  decode_with(d, &a, bytes, NULL, false);
}

static void expect_node(const cpb_metadata *m, uint32_t i, uint64_t chunk, uint32_t parent, uint32_t next,
                        uint32_t num_tags) {
  assert_true(m->nodes[i].chunk == chunk);
  assert_int_equal(m->nodes[i].parent, parent);
  assert_int_equal(m->nodes[i].next, next);
  assert_int_equal(m->nodes[i].num_tags, num_tags);
}

static void expect_step(const cpb_metadata *m, uint32_t i, cpb_tag_kind kind, uint64_t value) {
  assert_int_equal(m->tags[i].kind, kind);
  assert_true(m->tags[i].value == value);
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
  assert_int_equal(m->chunks[0].type, CPB_CHUNK_MESSAGE);
  assert_true(m->chunks[1].size == 5000000000 && m->chunks[1].offset == 4294967361);
  assert_int_equal(m->chunks[2].type, CPB_CHUNK_UNSET);

  assert_int_equal(m->num_nodes, 6);
  expect_node(m, 0, 0, CPB_NO_NODE, CPB_NO_NODE, 0);
  expect_node(m, 1, 1, 0, 3, 4);
  expect_node(m, 2, 300, 1, CPB_NO_NODE, 1);
  expect_node(m, 3, 2, 0, 4, 0);
  expect_node(m, 4, CPB_NO_CHUNK, 0, 5, 7);
  expect_node(m, 5, CPB_NO_CHUNK, 0, CPB_NO_NODE, 1);
  assert_true(m->nodes[4].has_message);
  assert_false(m->nodes[5].has_message);

  assert_int_equal(m->nodes[2].first_tag, 4);
  expect_step(m, 0, CPB_TAG_FIELD, 2);
  expect_step(m, 1, CPB_TAG_INDEX, 3);
  assert_int_equal(m->tags[3].length, 5);
  assert_memory_equal(m->text.data + m->tags[3].value, "value", 5);
  expect_step(m, 5, CPB_TAG_KEY_BOOL, 0);
  expect_step(m, 6, CPB_TAG_KEY_UINT32, UINT32_MAX);
  expect_step(m, 7, CPB_TAG_KEY_UINT64, UINT64_MAX);
  expect_step(m, 8, CPB_TAG_KEY_INT32, UINT64_MAX);
  expect_step(m, 9, CPB_TAG_KEY_INT64, UINT64_C(1) << 63);
  assert_int_equal(m->tags[10].kind, CPB_TAG_KEY_STRING);
  assert_int_equal(m->tags[10].length, 0);
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
  assert_int_equal(d.m.nodes[0].chunk, 2);
  assert_int_equal(d.m.nodes[1].next, 2);
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
  assert_false(d.m.nodes[0].has_message);
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
      {{(const uint8_t *)"\x0a\x03\x1a\x01\x00", 5}, CPB_E_UNSUPPORTED, "bad_consumers lists join version 0"},
      {{(const uint8_t *)"\x0a\x02\x18\x00", 4}, CPB_E_UNSUPPORTED, "bad_consumers lists join version 0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    decoded d;
    decode(&d, cases[i].bytes);
    if (d.error.code != cases[i].code || strstr(d.error.message, cases[i].text) == NULL) {
      fail_msg("case %zu: %s: %s", i, cpb_code_name(d.error.code), d.error.message);
    }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_index_is_decoded_as_protobuf_wrote_it),
      cmocka_unit_test(a_canonical_index_is_encoded_to_the_same_bytes),
      cmocka_unit_test(nodes_added_out_of_order_are_written_in_the_tree_s_order),
      cmocka_unit_test(repeated_singular_fields_merge_as_in_protobuf),
      cmocka_unit_test(an_empty_index_is_an_empty_message),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(nesting_is_limited_like_protobuf_s_and_never_recursed_into),
      cmocka_unit_test(the_number_of_chunks_and_fields_is_limited),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(damaged_bytes_never_do_worse_than_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

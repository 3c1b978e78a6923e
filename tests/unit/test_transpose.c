#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/bytes.h"
#include "failing_allocator.h"
#include "riegeli/transpose/transpose.h"

/* --- Chunks made by hand ---------------------------------------------------- */

enum { NOTHING = 0, NON_PROTO = 1, SUBMESSAGE_START = 2, RECORD_START = 3 };
enum { VARINT, FIXED64, STRING, GROUP_START, GROUP_END, FIXED32, SUBMESSAGE_END };
#define TAG(field, wire) ((uint32_t)(field) << 3 | (wire))
#define INLINE_VALUE(value) (10 + (value))
#define STEP(past, again) (uint8_t)((past) << 2 | (again))
enum { NONE = -1, IMPLICIT = 1000 }; /* IMPLICIT + node: without a transition */

typedef struct sketch_node {
  uint32_t tag, next;
  int subtype, buffer;
} sketch_node;

typedef struct sketch {
  const sketch_node *nodes;
  uint32_t num_nodes, first;
  const char *buffers[3]; /* all in one bucket */
  size_t buffer_sizes[3];
  uint32_t num_buffers;
  const uint8_t *transitions;
  size_t num_transitions;
} sketch;

typedef struct bytes {
  uint8_t data[1 << 16];
  size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size) {
  assert_true(size <= sizeof b->data - b->size);
  if (size > 0) memcpy(b->data + b->size, data, size);
  b->size += size;
}

static void add_varint(bytes *b, uint64_t value) {
  uint8_t v[CPB_VARINT_MAX];
  add(b, v, (size_t)(cpb_varint_write(v, value) - v));
}

static void add_header(bytes *out, const sketch *s) {
  size_t bucket = 0;
  for (size_t i = 0; i < s->num_buffers; i++) bucket += s->buffer_sizes[i];
  add_varint(out, s->num_buffers > 0);
  add_varint(out, s->num_buffers);
  if (s->num_buffers > 0) add_varint(out, bucket);
  for (size_t i = 0; i < s->num_buffers; i++) add_varint(out, s->buffer_sizes[i]);
  add_varint(out, s->num_nodes);
  for (size_t i = 0; i < s->num_nodes; i++) add_varint(out, s->nodes[i].tag);
  for (size_t i = 0; i < s->num_nodes; i++) {
    uint32_t next = s->nodes[i].next;
    add_varint(out, next >= IMPLICIT ? next - IMPLICIT + s->num_nodes : next);
  }
  for (size_t i = 0; i < s->num_nodes; i++)
    if (s->nodes[i].subtype != NONE) add(out, &(uint8_t){(uint8_t)s->nodes[i].subtype}, 1);
  for (size_t i = 0; i < s->num_nodes; i++)
    if (s->nodes[i].buffer != NONE) add_varint(out, (uint64_t)s->nodes[i].buffer);
  add_varint(out, s->first);
}

static cpb_span assemble(bytes *out, const sketch *s) {
  static bytes header;
  header.size = out->size = 0;
  add_header(&header, s);
  add(out, "", 1);
  add_varint(out, header.size);
  add(out, header.data, header.size);
  for (size_t i = 0; i < s->num_buffers; i++) add(out, s->buffers[i], s->buffer_sizes[i]);
  add(out, s->transitions, s->num_transitions);
  return (cpb_span){out->data, out->size};
}

static cpb_code code_of(cpb_span data, uint64_t num_records, uint64_t decoded_size) {
  cpb_transposed out;
  cpb_error error = {0};
  if (cpb_transpose_decode(NULL, NULL, data, num_records, decoded_size, &out, &error)) {
    cpb_transposed_free(&out);
    return CPB_OK;
  }
  assert_int_not_equal(error.code, CPB_OK);
  assert_null(out.values.data);
  assert_null(out.ends);
  return error.code;
}

static cpb_code sketch_code(const sketch *s, uint64_t num_records, uint64_t decoded_size) {
  static bytes chunk;
  return code_of(assemble(&chunk, s), num_records, decoded_size);
}

/* The sketch decodes to one record. */
static void expect_record(const sketch *s, const void *record, size_t size) {
  static bytes chunk;
  cpb_transposed out;
  cpb_error error = {0};
  bool done = cpb_transpose_decode(NULL, NULL, assemble(&chunk, s), 1, size, &out, &error);
  assert_string_equal(error.message, "");
  assert_true(done);
  assert_int_equal(out.num_records, 1);
  assert_int_equal(out.ends[0], size);
  assert_int_equal(out.values.size, size);
  if (size > 0) assert_memory_equal(out.values.data, record, size);
  cpb_transposed_free(&out);
}

#define NODES(n) .nodes = (n), .num_nodes = sizeof(n) / sizeof *(n)
#define TRANSITIONS(t) .transitions = (t), .num_transitions = sizeof(t)

static void fields_of_every_wire_type_come_back(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE},
                               {TAG(1, VARINT), IMPLICIT + 0, INLINE_VALUE(5), NONE},
                               {TAG(2, FIXED32), IMPLICIT + 1, NONE, 0},
                               {TAG(3, FIXED64), IMPLICIT + 2, NONE, 1},
                               {TAG(4, GROUP_START), IMPLICIT + 3, NONE, NONE},
                               {TAG(100000, STRING), IMPLICIT + 4, NONE, 2},
                               {TAG(4, GROUP_END), IMPLICIT + 5, NONE, NONE}};
  const sketch s = {NODES(nodes), .first = 6, .num_buffers = 3, .buffers = {"abcd", "efghijkl", "\3xyz"},
                    .buffer_sizes = {4, 8, 4}};
  const char record[] =
      "\x08\x05"
      "\x15"
      "abcd"
      "\x19"
      "efghijkl"
      "\x23"
      "\x82\xea\x30\x03xyz"
      "\x24";
  expect_record(&s, record, sizeof record - 1);
}

static void varints_of_every_length_get_their_continuation_bits(void **state) {
  (void)state;
  enum { COUNT = 40 }; /* at the output's beginning and far from it */
  for (int length = 1; length <= 10; length++) {
    const uint64_t value = length == 1 ? 0x55 : (uint64_t)1 << (7 * (length - 1)) | 0x2a;
    static char values[COUNT * CPB_VARINT_MAX];
    uint8_t varint[CPB_VARINT_MAX], transitions[COUNT];
    static bytes record;
    record.size = 0;
    assert_int_equal(cpb_varint_write(varint, value) - varint, length);
    for (int i = 0; i < COUNT; i++) {
      add(&record, "\xd0\x0f", 2);
      add(&record, varint, (size_t)length);
      for (int k = 0; k < length; k++) values[i * length + k] = (char)(varint[k] & 0x7f);
      transitions[i] = STEP(i + 1 == COUNT ? 0 : 1, 0);
    }
    const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}, {TAG(250, VARINT), 0, length - 1, 0}};
    const sketch s = {NODES(nodes),
                      .first = 1,
                      .num_buffers = 1,
                      .buffers = {values},
                      .buffer_sizes = {(size_t)(COUNT * length)},
                      TRANSITIONS(transitions)};
    expect_record(&s, record.data, record.size);
  }
}

static void strings_of_every_size_are_copied(void **state) {
  (void)state;
  for (size_t size = 0; size < 300; size++) {
    static bytes strings, record;
    strings.size = record.size = 0;
    for (char c = 'a'; c < 'd'; c++) { /* short, this one, short again */
      char text[300];
      size_t n = c == 'b' ? size : 2;
      memset(text, c, n);
      add(&record, "\x0a", 1);
      add_varint(&record, n);
      add(&record, text, n);
    }
    /* the buffer begins with the last string */
    add(&strings, "\2cc", 3);
    add(&strings, record.data + 5, size + (size >= 128) + 1);
    add(&strings, "\2aa", 3);
    const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}, {TAG(1, STRING), 0, NONE, 0}};
    const uint8_t transitions[] = {STEP(1, 0), STEP(1, 0), STEP(0, 0)};
    const sketch s = {NODES(nodes),
                      .first = 1,
                      .num_buffers = 1,
                      .buffers = {(const char *)strings.data},
                      .buffer_sizes = {strings.size},
                      TRANSITIONS(transitions)};
    expect_record(&s, record.data, record.size);
  }
}

static void submessages_get_the_tag_of_their_end_and_their_length(void **state) {
  (void)state;
  /* field 1 { field 2 { string of 200 bytes } } */
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE},
                               {SUBMESSAGE_START, IMPLICIT + 0, NONE, NONE},
                               {SUBMESSAGE_START, IMPLICIT + 1, NONE, NONE},
                               {TAG(3, STRING), IMPLICIT + 2, NONE, 0},
                               {TAG(2, SUBMESSAGE_END), IMPLICIT + 3, NONE, NONE},
                               {TAG(1, SUBMESSAGE_END), IMPLICIT + 4, NONE, NONE}};
  char text[202];
  memset(text, 'x', sizeof text);
  memcpy(text, "\xc8\x01", 2);
  const sketch s = {NODES(nodes), .first = 5, .num_buffers = 1, .buffers = {text}, .buffer_sizes = {202}};
  static bytes record;
  record.size = 0;
  add(&record, "\x0a\xce\x01\x12\xcb\x01\x1a", 7);
  add(&record, text, 202);
  expect_record(&s, record.data, record.size);
}

static void a_transition_repeats_steps_that_implicit_nodes_do_not_use_up(void **state) {
  (void)state;
  /* 1 is explicit and leads to itself, 2 is implicit */
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE},
                               {TAG(1, VARINT), 2, INLINE_VALUE(1), NONE},
                               {TAG(2, VARINT), IMPLICIT + 1, INLINE_VALUE(2), NONE},
                               {NOTHING, IMPLICIT + 0, NONE, NONE}};
  /* 1, then twice (2, 1) without a byte after the first, then 3 and the start */
  const uint8_t transitions[] = {STEP(0, 1), STEP(1, 0)};
  const sketch s = {NODES(nodes), .first = 1, TRANSITIONS(transitions)};
  expect_record(&s, "\x08\1\x10\2\x08\1\x10\2\x08\1", 10);
}

static void the_example_of_the_documentation_gives_five_records(void **state) {
  (void)state;
  const sketch_node nodes[] = {
      {RECORD_START, 2, NONE, NONE}, {TAG(1, VARINT), IMPLICIT + 0, 17, NONE}, {TAG(2, STRING), IMPLICIT + 1, NONE, 0}};
  static const uint8_t transitions[] = {3};
  const sketch s = {NODES(nodes),         .first = 2,
                    .num_buffers = 1,     .buffers = {"\1e\1d\1c\1b\1a"},
                    .buffer_sizes = {10}, TRANSITIONS(transitions)};
  static bytes chunk;
  cpb_transposed out;
  cpb_error error = {0};
  assert_true(cpb_transpose_decode(NULL, NULL, assemble(&chunk, &s), 5, 25, &out, &error));
  assert_memory_equal(out.values.data, "\x08\7\x12\1a\x08\7\x12\1b\x08\7\x12\1c\x08\7\x12\1d\x08\7\x12\1e", 25);
  cpb_transposed_free(&out);
}

static void records_that_are_no_messages_come_back(void **state) {
  (void)state;
  const sketch_node nodes[] = {{NON_PROTO, 0, NONE, 0}};
  const uint8_t transitions[] = {STEP(0, 1)};
  const sketch s = {NODES(nodes), .num_buffers = 2, .buffers = {"lastmid1st", "\4\3\3"}, .buffer_sizes = {10, 3},
                    TRANSITIONS(transitions)};
  static bytes chunk;
  cpb_transposed out;
  cpb_error error = {0};
  assert_true(cpb_transpose_decode(NULL, NULL, assemble(&chunk, &s), 3, 10, &out, &error));
  assert_memory_equal(out.values.data, "1stmidlast", 10);
  assert_int_equal(out.ends[0], 3);
  assert_int_equal(out.ends[1], 6);
  assert_int_equal(out.ends[2], 10);
  cpb_transposed_free(&out);
}

static void a_record_of_no_fields_is_empty(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}};
  const sketch s = {NODES(nodes)};
  expect_record(&s, "", 0);
}

/* --- Hostile chunks --------------------------------------------------------- */

static void sizes_over_the_limits_are_refused_before_memory_is_taken(void **state) {
  (void)state;
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  const cpb_limits limits = {.struct_size = sizeof limits, .riegeli_chunk = 100, .records_per_chunk = 10};
  const cpb_span data = {(const uint8_t *)"\0\0", 2};
  cpb_transposed out;
  cpb_error error = {0};
  assert_false(cpb_transpose_decode(&a, &limits, data, 1, 101, &out, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  error.code = CPB_OK;
  assert_false(cpb_transpose_decode(&a, &limits, data, 11, 100, &out, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  assert_int_equal(f.calls, 0);
}

static void the_chunk_header_must_tell_the_truth(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}, {TAG(1, VARINT), IMPLICIT + 0, INLINE_VALUE(5), NONE}};
  const sketch s = {NODES(nodes), .first = 1};
  assert_int_equal(sketch_code(&s, 1, 2), CPB_OK);
  assert_int_equal(sketch_code(&s, 1, 1), CPB_E_DAMAGED);
  assert_int_equal(sketch_code(&s, 1, 3), CPB_E_DAMAGED);
  assert_int_equal(sketch_code(&s, 0, 2), CPB_E_DAMAGED);
  assert_int_equal(sketch_code(&s, 2, 2), CPB_E_DAMAGED);
}

static void records_are_counted_exactly(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}};
  static const uint8_t transitions[200];
  for (size_t count = 1; count <= sizeof transitions; count++) {
    const sketch s = {NODES(nodes), .transitions = transitions, .num_transitions = count - 1};
    for (uint64_t said = 0; said <= sizeof transitions; said += 1 + said / 8)
      assert_int_equal(sketch_code(&s, said, 0), said == count ? CPB_OK : CPB_E_DAMAGED);
    assert_int_equal(sketch_code(&s, count, 0), CPB_OK);
  }
}

static void nodes_must_make_sense(void **state) {
  (void)state;
  static const struct {
    const char *why;
    sketch_node node;
    uint32_t first;
    uint8_t transition;
    size_t num_transitions;
  } cases[] = {
      {"field number 0", {TAG(0, FIXED32), 0, NONE, 0}, 1, 0, 1},
      {"the number of the root", {4, 0, NONE, NONE}, 1, 0, 1},
      {"wire type 7", {TAG(1, 7), 0, NONE, NONE}, 1, 0, 1},
      {"submessage end of field 0", {TAG(0, SUBMESSAGE_END), 0, NONE, NONE}, 1, 0, 1},
      {"subtype past the last", {TAG(1, VARINT), 0, INLINE_VALUE(128), NONE}, 1, 0, 1},
      {"no such next node", {NOTHING, IMPLICIT + 2, NONE, NONE}, 1, 0, 1},
      {"no such first node", {NOTHING, 0, NONE, NONE}, 2, 0, 1},
      {"no such buffer", {TAG(1, STRING), 0, NONE, 1}, 1, 0, 1},
      {"implicitly to itself", {NOTHING, IMPLICIT + 1, NONE, NONE}, 0, 0, 0},
      {"beyond the last node", {NOTHING, 1, NONE, NONE}, 1, STEP(63, 0), 1},
      {"number missing", {TAG(1, FIXED64), 0, NONE, 0}, 1, 0, 1},
      {"string's length missing", {TAG(1, STRING), 1, NONE, 0}, 1, STEP(0, 3), 1},
      {"string cut off", {TAG(1, STRING), 0, NONE, 0}, 1, 0, 1},
      {"record's size missing", {NON_PROTO, 1, NONE, 0}, 1, STEP(0, 3), 1},
      {"start without end", {SUBMESSAGE_START, 0, NONE, NONE}, 1, 0, 1},
      {"submessage without start", {TAG(1, SUBMESSAGE_END), 0, NONE, NONE}, 0, STEP(1, 0), 1},
      {"first record without start", {TAG(1, VARINT), 0, INLINE_VALUE(0), NONE}, 0, STEP(1, 0), 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}, cases[i].node};
    const sketch s = {NODES(nodes),
                      .first = cases[i].first,
                      .num_buffers = 1,
                      .buffers = {"\x09"},
                      .buffer_sizes = {1},
                      .transitions = &cases[i].transition,
                      .num_transitions = cases[i].num_transitions};
    for (uint64_t size = 0; size < 12; size++)
      if (sketch_code(&s, 1, size) != CPB_E_DAMAGED) fail_msg("accepted: %s", cases[i].why);
  }
}

static void a_submessage_may_not_span_records(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, IMPLICIT + 1, NONE, NONE},
                               {SUBMESSAGE_START, IMPLICIT + 2, NONE, NONE},
                               {RECORD_START, 0, NONE, NONE},
                               {TAG(1, SUBMESSAGE_END), IMPLICIT + 0, NONE, NONE}};
  const sketch s = {NODES(nodes), .first = 3};
  assert_int_equal(sketch_code(&s, 2, 2), CPB_E_DAMAGED);
}

static void header_sizes_must_fit(void **state) {
  (void)state;
  static const struct {
    const char *why, *data;
    size_t size;
    cpb_code code;
  } cases[] = {
      {"nothing at all", "", 0, CPB_E_DAMAGED},
      {"no header size", "\0", 1, CPB_E_DAMAGED},
      {"header cut off", "\0\x7f", 2, CPB_E_DAMAGED},
      {"2^63 header bytes", "\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", 11, CPB_E_DAMAGED},
      {"unknown codec", "\7\2\0\0", 4, CPB_E_UNSUPPORTED},
      {"no buffer count", "\0\1\0", 3, CPB_E_DAMAGED},
      {"buffers without bucket", "\0\2\0\1", 4, CPB_E_DAMAGED},
      {"2^32 - 1 buckets", "\0\6\xff\xff\xff\xff\x0f\0", 8, CPB_E_DAMAGED},
      {"2^32 - 1 buffers", "\0\7\1\xff\xff\xff\xff\x0f\0", 9, CPB_E_DAMAGED},
      {"2^32 - 1 nodes", "\0\7\0\0\xff\xff\xff\xff\x0f", 9, CPB_E_DAMAGED},
      {"a 32-bit number of 33 bits", "\0\7\0\0\xff\xff\xff\xff\x1f", 9, CPB_E_DAMAGED},
      {"no node", "\0\4\0\0\0\0", 6, CPB_E_DAMAGED},
      {"subtype missing", "\0\5\0\0\1\x08\0", 7, CPB_E_DAMAGED},
      {"an overlong 32-bit number", "\0\x0b\0\0\x81\x80\x80\x80\x80\0\3\0\0", 13, CPB_E_DAMAGED},
      {"one that is just not", "\0\x0a\0\0\x81\x80\x80\x80\0\3\0\0", 12, CPB_OK},
      {"buffer and bucket fit", "\0\x08\1\1\2\2\1\3\0\0xx", 12, CPB_OK},
      {"bucket cut off", "\0\x08\1\1\2\2\1\3\0\0x", 11, CPB_E_DAMAGED},
      {"buffer longer than bucket", "\0\x08\1\1\1\2\1\3\0\0xx", 12, CPB_E_DAMAGED},
      {"bucket longer than buffer", "\0\x08\1\1\2\1\1\3\0\0xx", 12, CPB_E_DAMAGED},
      {"buffer over two buckets", "\0\x09\2\1\1\1\2\1\3\0\0xx", 13, CPB_E_DAMAGED},
      {"two buckets for one buffer", "\0\x09\2\1\1\1\1\1\3\0\0xx", 13, CPB_E_DAMAGED},
      {"two buckets for no buffer", "\0\x08\2\0\0\0\1\3\0\0", 10, CPB_E_DAMAGED},
      {"an empty bucket for no buffer", "\0\7\1\0\0\1\3\0\0", 9, CPB_OK},
      {"trailing header byte", "\0\7\0\0\1\3\0\0\0", 9, CPB_E_DAMAGED},
  };
  const char good[] = "\0\6\0\0\1\3\0\0";
  assert_int_equal(code_of((cpb_span){(const uint8_t *)good, 8}, 1, 0), CPB_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cpb_span data = {(const uint8_t *)cases[i].data, cases[i].size};
    if (code_of(data, 1, 0) != cases[i].code) fail_msg("%s", cases[i].why);
  }
}

static void an_endless_record_stops_at_the_decoded_size(void **state) {
  (void)state;
  const sketch_node nodes[] = {{TAG(1, GROUP_START), 0, NONE, NONE}};
  uint8_t transitions[2000];
  memset(transitions, STEP(0, 3), sizeof transitions);
  const sketch s = {NODES(nodes), TRANSITIONS(transitions)};
  static bytes chunk;
  for (uint64_t size = 0; size <= 5000; size += 1 + size) {
    failing_allocator f = {0};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_transposed out;
    cpb_error error = {0};
    assert_false(cpb_transpose_decode(&a, NULL, assemble(&chunk, &s), 1, size, &out, &error));
    assert_int_equal(error.code, CPB_E_DAMAGED);
    assert_non_null(strstr(error.message, "larger than the chunk header says"));
    assert_true(f.largest <= 5000);
    assert_int_equal(f.blocks, 0);
  }
}

static void memory_grows_with_the_data_not_with_its_header(void **state) {
  (void)state;
  const sketch_node nodes[] = {{RECORD_START, 0, NONE, NONE}};
  const sketch s = {NODES(nodes)};
  static bytes chunk;
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  cpb_transposed out;
  cpb_error error = {0};
  assert_false(cpb_transpose_decode(&a, NULL, assemble(&chunk, &s), 1u << 24, 1u << 28, &out, &error));
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_true(f.largest < 10000);
}

/* A Snappy block of `size` bytes: those at `data` (less than 60), repeated. */
static void add_snappy(bytes *out, const void *data, size_t length, size_t size) {
  add_varint(out, size); /* Riegeli's, then Snappy's own */
  add_varint(out, size);
  if (length > 0) add(out, &(uint8_t){(uint8_t)((length - 1) << 2)}, 1);
  add(out, data, length);
  for (size_t i = length; i < size; i += 64) add(out, "\xfe\1\0", 3);
}

static void a_bucket_that_no_record_needs_is_not_inflated(void **state) {
  (void)state;
  enum { SIZE = 1 + (64 << 14) };
  static bytes bucket, header, packed, chunk;
  bucket.size = header.size = packed.size = chunk.size = 0;
  add_snappy(&bucket, "x", 1, SIZE);
  add(&header, "\1\1", 2);
  add_varint(&header, bucket.size);
  add_varint(&header, SIZE);
  add(&header, "\1\3\0\0", 4);
  add_snappy(&packed, header.data, header.size, header.size);
  add(&chunk, "s", 1);
  add_varint(&chunk, packed.size);
  add(&chunk, packed.data, packed.size);
  add(&chunk, bucket.data, bucket.size);
  add_snappy(&chunk, "", 0, 0);
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  cpb_transposed out;
  cpb_error error = {0};
  assert_false(cpb_transpose_decode(&a, NULL, (cpb_span){chunk.data, chunk.size}, 1, 0, &out, &error));
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_non_null(strstr(error.message, "bucket"));
  assert_true(f.largest < SIZE / 8);
}

static void doing_nothing_for_ever_is_refused(void **state) {
  (void)state;
  /* each of 20,000 transitions leads through 900 nodes that do nothing */
  enum { LAST = 899 };
  static sketch_node nodes[LAST + 1];
  for (uint32_t i = 0; i < LAST; i++) nodes[i] = (sketch_node){NOTHING, IMPLICIT + i + 1, NONE, NONE};
  nodes[LAST] = (sketch_node){NOTHING, 0, NONE, NONE};
  static const uint8_t transitions[20000];
  const sketch s = {NODES(nodes), TRANSITIONS(transitions)};
  static bytes chunk;
  cpb_transposed out;
  cpb_error error = {0};
  assert_false(cpb_transpose_decode(NULL, NULL, assemble(&chunk, &s), 1, 1, &out, &error));
  assert_non_null(strstr(error.message, "do nothing"));
}

static cpb_code code_within(cpb_limits limits, const sketch *s, uint64_t decoded_size) {
  static bytes chunk;
  cpb_transposed out;
  cpb_error error = {0};
  limits.struct_size = sizeof limits;
  if (cpb_transpose_decode(NULL, &limits, assemble(&chunk, s), 1, decoded_size, &out, &error))
    cpb_transposed_free(&out);
  return error.code;
}

static void tables_are_bounded_by_the_limit(void **state) {
  (void)state;
  static sketch_node nodes[900]; /* some 40 bytes each */
  for (size_t i = 0; i < 900; i++) nodes[i] = (sketch_node){RECORD_START, 0, NONE, NONE};
  sketch s = {NODES(nodes)};
  assert_int_equal(code_within((cpb_limits){.riegeli_chunk = 1 << 16}, &s, 0), CPB_OK);
  s.num_nodes = 100;
  assert_int_equal(code_within((cpb_limits){.riegeli_chunk = 1}, &s, 0), CPB_OK);
  static bytes chunk;
  chunk.size = 0;
  add(&chunk, "\0\x90\x4e\1\x8b\x4e", 6); /* 10,000 header bytes: 1 bucket, 9,995 buffers */
  while (chunk.size < 10003) add(&chunk, "", 1);
  const cpb_limits tiny = {.struct_size = sizeof tiny, .riegeli_chunk = 1};
  cpb_transposed out;
  cpb_error error = {0};
  assert_false(cpb_transpose_decode(NULL, &tiny, (cpb_span){chunk.data, chunk.size}, 1, 0, &out, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
}

static void nesting_is_bounded(void **state) {
  (void)state;
  const sketch_node nodes[] = {
      {RECORD_START, 0, NONE, NONE}, {SUBMESSAGE_START, 0, NONE, NONE}, {TAG(1, SUBMESSAGE_END), 0, NONE, NONE}};
  for (uint32_t depth = 1; depth <= 120; depth++) {
    uint8_t transitions[300];
    size_t n = 0;
    for (uint32_t i = 1; i < depth; i++) transitions[n++] = STEP(2, 0);
    for (uint32_t i = 0; i < depth; i++) transitions[n++] = STEP(1, 0);
    transitions[n++] = STEP(0, 0);
    const sketch s = {NODES(nodes), .first = 2, .transitions = transitions, .num_transitions = n};
    /* tag and length take 2 bytes 64 times, then 3, as lengths are over 127 */
    const uint64_t size = depth <= 64 ? 2 * depth : 2 * 64 + 3 * (uint64_t)(depth - 64);
    assert_int_equal(sketch_code(&s, 1, size), depth <= 100 ? CPB_OK : CPB_E_LIMIT);
    assert_int_equal(code_within((cpb_limits){.depth = depth}, &s, size), CPB_OK);
    if (depth > 1) assert_int_equal(code_within((cpb_limits){.depth = depth - 1}, &s, size), CPB_E_LIMIT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_of_every_wire_type_come_back),
      cmocka_unit_test(varints_of_every_length_get_their_continuation_bits),
      cmocka_unit_test(strings_of_every_size_are_copied),
      cmocka_unit_test(submessages_get_the_tag_of_their_end_and_their_length),
      cmocka_unit_test(a_transition_repeats_steps_that_implicit_nodes_do_not_use_up),
      cmocka_unit_test(the_example_of_the_documentation_gives_five_records),
      cmocka_unit_test(records_that_are_no_messages_come_back),
      cmocka_unit_test(a_record_of_no_fields_is_empty),
      cmocka_unit_test(sizes_over_the_limits_are_refused_before_memory_is_taken),
      cmocka_unit_test(the_chunk_header_must_tell_the_truth),
      cmocka_unit_test(records_are_counted_exactly),
      cmocka_unit_test(nodes_must_make_sense),
      cmocka_unit_test(a_submessage_may_not_span_records),
      cmocka_unit_test(header_sizes_must_fit),
      cmocka_unit_test(a_bucket_that_no_record_needs_is_not_inflated),
      cmocka_unit_test(an_endless_record_stops_at_the_decoded_size),
      cmocka_unit_test(memory_grows_with_the_data_not_with_its_header),
      cmocka_unit_test(doing_nothing_for_ever_is_refused),
      cmocka_unit_test(tables_are_bounded_by_the_limit),
      cmocka_unit_test(nesting_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

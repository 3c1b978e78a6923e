/* The encoder of transposed chunks: what it writes, and that it is read as what was written. */
#include "failing_allocator.h"
#include "random_message.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/transpose/encoder.h"
#include "riegeli/transpose/transpose.h"
#include "stride.h"

/* --- Help --------------------------------------------------------------------- */

enum { MOST_RECORDS = 3000 };

typedef struct records {
  cpb_buffer bytes;
  size_t ends[MOST_RECORDS], count;
} records;

static records new_records(void) {
  records r = {.count = 0};
  plain = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&r.bytes, &plain);
  return r;
}

static void add_record(records *r, const void *data, size_t size) {
  assert_true(r->count < MOST_RECORDS);
  append(&r->bytes, data, size);
  r->ends[r->count++] = r->bytes.size;
}

static cpb_span record_at(const records *r, size_t i) {
  const size_t begin = i > 0 ? r->ends[i - 1] : 0;
  return (cpb_span){r->bytes.data ? r->bytes.data + begin : NULL, r->ends[i] - begin};
}

static bool encode(cpb_transpose_encoder *e, cpb_compressor *c, uint64_t bucket_size, const records *r, cpb_buffer *out,
                   cpb_codec_error *error) {
  cpb_span head, body;
  out->size = 0;
  for (size_t i = 0; i < r->count; i++)
    if (!cpb_transpose_encoder_add(e, record_at(r, i), error)) return false;
  if (!cpb_transpose_encoder_encode(e, c, bucket_size, &head, &body, error)) return false;
  append(out, head.data, head.size);
  append(out, body.data, body.size);
  return true;
}

static cpb_compressor *compressor_for(const cpb_allocator *a, cpb_codec codec) {
  const cpb_codec_options options = {.codec = codec, .level = codec == CPB_CODEC_BROTLI ? 2 : 0};
  cpb_codec_error error = {CPB_OK, NULL};
  return cpb_compressor_new(a, &options, &error);
}

/* The whole data of a chunk; the caller frees it. */
static cpb_buffer chunk_of(const records *r, cpb_codec codec, uint64_t bucket_size) {
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = compressor_for(NULL, codec);
  cpb_transpose_encoder *e = cpb_transpose_encoder_new(NULL);
  cpb_buffer chunk;
  cpb_buffer_init(&chunk, &plain);
  assert_true(encode(e, c, bucket_size, r, &chunk, &error));
  assert_int_equal(cpb_transpose_encoder_num_records(e), r->count);
  assert_int_equal(cpb_transpose_encoder_decoded_size(e), r->bytes.size);
  cpb_transpose_encoder_free(e);
  cpb_compressor_free(c);
  return chunk;
}

static cpb_code decode(const records *r, const cpb_buffer *chunk, uint32_t depth) {
  const cpb_limits limits = {.struct_size = sizeof limits, .depth = depth};
  const cpb_span data = {chunk->data, chunk->size};
  cpb_transposed out;
  cpb_error error = {.code = CPB_OK};
  if (!cpb_transpose_decode(NULL, &limits, data, r->count, r->bytes.size, &out, &error)) return error.code;
  assert_int_equal(out.num_records, r->count);
  for (size_t i = 0; i < r->count; i++) assert_int_equal(out.ends[i], r->ends[i]);
  if (r->bytes.size > 0) assert_memory_equal(out.values.data, r->bytes.data, r->bytes.size);
  cpb_transposed_free(&out);
  return CPB_OK;
}

static void expect_round_trip(const records *r, cpb_codec codec, uint64_t bucket_size) {
  cpb_buffer chunk = chunk_of(r, codec, bucket_size);
  assert_int_equal(decode(r, &chunk, 100), CPB_OK);
  cpb_buffer_free(&chunk);
}

static uint64_t take_number(cpb_span *header) {
  uint64_t number = 0;
  const uint8_t *next = cpb_varint_read(header->data, header->data + header->size, &number);
  assert_non_null(next);
  *header = (cpb_span){next, header->size - (size_t)(next - header->data)};
  return number;
}

/* From the number of nodes on, the header of an uncompressed chunk. */
static cpb_span nodes_of(const cpb_buffer *chunk) {
  cpb_span header = {chunk->data + 1, chunk->size - 1};
  take_number(&header); /* its size */
  uint64_t sizes = take_number(&header);
  for (sizes += take_number(&header); sizes > 0; sizes--) take_number(&header);
  return header;
}

/* Whether the only node is not that of a record that is no message. */
static bool is_taken_apart(const void *record, size_t size) {
  records r = new_records();
  add_record(&r, record, size);
  cpb_buffer chunk = chunk_of(&r, CPB_CODEC_NONE, UINT64_MAX);
  assert_int_equal(decode(&r, &chunk, 100), CPB_OK);
  cpb_span header = nodes_of(&chunk);
  const bool whole = take_number(&header) == 1 && take_number(&header) == 1;
  cpb_buffer_free(&chunk);
  cpb_buffer_free(&r.bytes);
  return !whole;
}

/* --- Bytes --------------------------------------------------------------------- */

#define TEXT(literal) (literal), sizeof(literal) - 1

static void small_chunks_are_known_to_the_byte(void **state) {
  (void)state;
  static const struct {
    const char *what;
    struct {
      const char *data;
      size_t size;
    } records[6];
    size_t count;
    const char *chunk; /* codec 0, size of the header; buckets, buffers, sizes of both; nodes, their tags, next, */
    size_t size;       /* subtypes, buffers; first node; then buffers; transitions */
  } cases[] = {
      {"none",
       {{NULL, 0}},
       0,
       TEXT("\0\6"
            "\0\0"
            "\1"
            "\0"
            "\0"
            "\0")},
      {"an empty one",
       {{"", 0}},
       1,
       TEXT("\0\6"
            "\0\0"
            "\1"
            "\3"
            "\0"
            "\0")},
      {"the example of the documentation, with a value that needs no buffer",
       {{TEXT("\x08\3\x12\1a")},
        {TEXT("\x08\3\x12\1b")},
        {TEXT("\x08\3\x12\1c")},
        {TEXT("\x08\3\x12\1d")},
        {TEXT("\x08\3\x12\1e")}},
       5,
       TEXT("\0\16"
            "\1\1\12\12"
            "\3"
            "\x12\3\x08"
            "\5\0\4"
            "\15"
            "\0"
            "\0"
            "\1e\1d\1c\1b\1a"
            "\3")},
      {"the least number that needs a buffer",
       {{TEXT("\x08\4")}},
       1,
       TEXT("\0\14"
            "\1\1\1\1"
            "\2"
            "\3\x08"
            "\0\2"
            "\0"
            "\0"
            "\1"
            "\4")},
      {"no messages",
       {{TEXT("1st")}, {TEXT("mid")}, {TEXT("last")}},
       3,
       TEXT("\0\13"
            "\2\2\12\3\12\3"
            "\1"
            "\1"
            "\0"
            "\0"
            "\0"
            "lastmid1st"
            "\4\3\3"
            "\1")},
      {"an empty string, and a submessage in the same field",
       {{TEXT("\x0a\0\x0a\2\x08\1")}},
       1,
       TEXT("\0\22"
            "\1\1\1\1"
            "\5"
            "\3\x0a\2\x08\x0e"
            "\0\5\6\7\x08"
            "\13"
            "\0"
            "\4"
            "\0")},
      {"numbers, some in a group",
       {{TEXT("\x0b\x15"
              "abcd\x0c\x19"
              "efghijkl\x28\xac\2")}},
       1,
       TEXT("\0\32"
            "\3\3\2\4\x08\2\4\x08"
            "\6"
            "\3\x0b\x15\x0c\x19\x28"
            "\0\6\7\x08\x09\x0a"
            "\1"
            "\1\2\0"
            "\5"
            "\x2c\2"
            "abcd"
            "efghijkl")},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    records r = new_records();
    for (size_t k = 0; k < cases[i].count; k++) add_record(&r, cases[i].records[k].data, cases[i].records[k].size);
    cpb_buffer chunk = chunk_of(&r, CPB_CODEC_NONE, UINT64_MAX);
    if (chunk.size != cases[i].size || memcmp(chunk.data, cases[i].chunk, chunk.size) != 0)
      fail_msg("%s: %zu bytes", cases[i].what, chunk.size);
    assert_int_equal(decode(&r, &chunk, 1), CPB_OK);
    cpb_buffer_free(&chunk);
    cpb_buffer_free(&r.bytes);
  }
}

/* By the rules in the documentation. Each letter is a field without a value of its own. */
static void actions_have_as_many_nodes_as_the_rules_say(void **state) {
  (void)state;
  static const struct {
    const char *fields;
    uint64_t nodes, idle;
  } cases[] = {
      /* b leads to the start and to a, which nothing else does; b and c are in the public list */
      {"bababababababababa"
       "bc",
       4, 0},
      /* now a leads to b ten times, so a has a list; and nothing else is left that leads to b but c */
      {"babababababababababa"
       "bc",
       5, 0},
      /* a also leads to c, as d does, but to nothing else */
      {"babababababababababa"
       "bcacd",
       8, 0},
      /* a leads to c and to e, as d does */
      {"babababababababababa"
       "bcaeacded",
       10, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    records r = new_records();
    cpb_buffer record;
    cpb_buffer_init(&record, &plain);
    for (const char *field = cases[i].fields; *field != '\0'; field++)
      append_number(&record, (uint32_t)(*field - 'a') + 1, 0);
    add_record(&r, record.data, record.size);
    cpb_buffer chunk = chunk_of(&r, CPB_CODEC_NONE, UINT64_MAX);
    cpb_span header = nodes_of(&chunk);
    uint64_t idle = 0;
    assert_int_equal(take_number(&header), cases[i].nodes);
    for (uint64_t k = 0; k < cases[i].nodes; k++) idle += take_number(&header) == 0;
    assert_int_equal(idle, cases[i].idle);
    assert_int_equal(decode(&r, &chunk, 1), CPB_OK);
    cpb_buffer_free(&chunk);
    cpb_buffer_free(&record);
    cpb_buffer_free(&r.bytes);
  }
}

/* --- What is taken apart ----------------------------------------------------------- */

static void only_what_comes_back_byte_for_byte_is_taken_apart(void **state) {
  (void)state;
  static const struct {
    const char *what, *record;
    size_t size;
    bool message;
  } cases[] = {
      {"a number", TEXT("\x08\1"), true},
      {"the largest tag, length and number", TEXT("\xf8\xff\xff\xff\x0f\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), true},
      {"a tag longer than it need be", TEXT("\x88\0\1"), false},
      {"a number longer than it need be", TEXT("\x08\x81\0"), false},
      {"a length longer than it need be", TEXT("\x0a\x81\0a"), false},
      {"a tag of more than 32 bits", TEXT("\xf8\xff\xff\xff\x1f\1"), false},
      {"a tag of six bytes", TEXT("\x88\x80\x80\x80\x80\1\1"), false},
      {"a number of more than 64 bits", TEXT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\2"), false},
      {"a number of 11 bytes", TEXT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\1"), false},
      {"a number without end", TEXT("\x08\x81"), false},
      {"no number", TEXT("\x08"), false},
      {"field 0", TEXT("\0\1"), false},
      {"wire type 6", TEXT("\x0e\1"), false},
      {"wire type 7", TEXT("\x0f\1"), false},
      {"7 bytes of 8",
       TEXT("\x09"
            "1234567"),
       false},
      {"3 bytes of 4",
       TEXT("\x0d"
            "123"),
       false},
      {"a string cut off", TEXT("\x0a\2a"), false},
      {"a string without a length", TEXT("\x0a"), false},
      {"a group", TEXT("\x0b\x08\1\x0c"), true},
      {"a group without end", TEXT("\x0b\x08\1"), false},
      {"a group with the end of another", TEXT("\x0b\x14"), false},
      {"the end of a group", TEXT("\x0c"), false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (is_taken_apart(cases[i].record, cases[i].size) != cases[i].message) fail_msg("%s", cases[i].what);
}

/* A message of `messages`, each in the one before, and in the innermost `groups`. */
static size_t nested(uint8_t *out, size_t messages, size_t groups) {
  uint8_t *end = out + 1000;
  size_t size = 2 * groups;
  memset(end - size, 0x0b, groups);
  memset(end - groups, 0x0c, groups);
  for (size_t i = 0; i < messages; i++) {
    uint8_t header[CPB_WIRE_HEADER_MAX];
    const size_t n = (size_t)(cpb_wire_put_len(header, 1, size) - header);
    memcpy(end - size - n, header, n);
    size += n;
  }
  memmove(out, end - size, size);
  return size;
}

/* As many submessages are taken apart: a reader that allows one less sees too many. */
static void expect_depth(size_t messages, size_t groups, uint32_t depth) {
  uint8_t message[1000];
  records r = new_records();
  add_record(&r, message, nested(message, messages, groups));
  cpb_buffer chunk = chunk_of(&r, CPB_CODEC_NONE, UINT64_MAX);
  assert_int_equal(decode(&r, &chunk, depth), CPB_OK);
  assert_int_equal(decode(&r, &chunk, depth - 1), CPB_E_LIMIT);
  cpb_buffer_free(&chunk);
  cpb_buffer_free(&r.bytes);
}

static void messages_and_groups_are_taken_apart_to_a_depth_of_100(void **state) {
  (void)state;
  expect_depth(50, 0, 49); /* the innermost is an empty string */
  expect_depth(101, 0, 100);
  expect_depth(102, 0, 100);
  expect_depth(110, 0, 100);
  expect_depth(60, 40, 60);
  expect_depth(60, 41, 59);
  expect_depth(60, 100, 59);
  expect_depth(100, 1, 99);
  uint8_t message[1000];
  assert_true(is_taken_apart(message, nested(message, 0, 100)));
  assert_false(is_taken_apart(message, nested(message, 0, 101)));
}

static void a_record_of_4_gib_that_is_no_message_is_refused(void **state) {
  (void)state;
  if (sizeof(size_t) < 8) skip();
  cpb_transpose_encoder *e = cpb_transpose_encoder_new(NULL);
  cpb_codec_error error = {CPB_OK, NULL};
  const cpb_span record = {(const uint8_t *)"\0", (size_t)1 << 16 << 16}; /* its first byte tells */
  assert_false(cpb_transpose_encoder_add(e, record, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  cpb_transpose_encoder_free(e);
}

/* --- Round trips ------------------------------------------------------------------ */

/* Random messages, some twice and some with a byte changed or cut off. */
static void add_random_records(records *r, uint64_t from) {
  merge_case c;
  cpb_buffer whole;
  make_case(&c, &whole, from);
  for (uint32_t times = 1 + random_below(3); times > 0; times--) add_record(r, whole.data, whole.size);
  if (whole.size > 0) {
    whole.data[random_below((uint32_t)whole.size)] ^= (uint8_t)(1u << random_below(8));
    add_record(r, whole.data, whole.size);
    add_record(r, whole.data, random_below((uint32_t)whole.size));
  }
  cpb_buffer_free(&whole);
  merge_case_free(&c);
}

static void random_records_come_back(void **state) {
  (void)state;
  static const cpb_codec codecs[] = {CPB_CODEC_NONE, CPB_CODEC_ZSTD, CPB_CODEC_BROTLI};
  static const uint64_t bucket_sizes[] = {UINT64_MAX, 1, 100, 1000, 0};
  for (uint64_t i = 0; i < 60; i += sanitized_stride(7)) {
    records r = new_records();
    for (uint64_t k = 0; k <= i % 12; k++) add_random_records(&r, 1000 * i + k);
    expect_round_trip(&r, codecs[i % 3], bucket_sizes[i % 5]);
    cpb_buffer_free(&r.bytes);
  }
}

/* From one field to each of many, some often: nodes beyond the reach of a transition, in private lists and in
 * the public one. */
static void transitions_reach_however_many_nodes(void **state) {
  (void)state;
  for (uint32_t fields = 1; fields < 20000; fields = 3 * fields + 1) {
    records r = new_records();
    cpb_buffer record;
    cpb_buffer_init(&record, &plain);
    seed = fields;
    for (uint32_t i = 0; i < 30000; i++) {
      const uint32_t field = one_in(2) ? 1 : 2 + random_below(one_in(3) ? 5 : fields);
      append_number(&record, field, random_below(6));
    }
    for (uint32_t field = 2; field < fields + 2; field++) append_number(&record, field, 1u << field % 32);
    add_record(&r, record.data, record.size);
    expect_round_trip(&r, CPB_CODEC_NONE, UINT64_MAX);
    cpb_buffer_free(&record);
    cpb_buffer_free(&r.bytes);
  }
}

static void large_strings_come_back(void **state) {
  (void)state;
  records r = new_records();
  static uint8_t text[5 << 20];
  for (size_t i = 0; i < sizeof text; i++) text[i] = (uint8_t)(i * i >> 7);
  for (size_t size = 1; size < sizeof text; size = 5 * size + 3) {
    cpb_buffer message;
    cpb_buffer_init(&message, &plain);
    const cpb_buffer value = {.data = text, .size = size};
    append_field(&message, 1, &value);
    append_field(&message, 1 + (uint32_t)size % 3, &value);
    add_record(&r, message.data, message.size);
    add_record(&r, text, size);
    cpb_buffer_free(&message);
  }
  expect_round_trip(&r, CPB_CODEC_NONE, UINT64_MAX);
  expect_round_trip(&r, CPB_CODEC_ZSTD, UINT64_MAX);
  expect_round_trip(&r, CPB_CODEC_ZSTD, 1000);
  cpb_buffer_free(&r.bytes);
}

/* --- Buckets ---------------------------------------------------------------------- */

/* Four columns of strings, of 100, 200, 300 and 400 bytes. The number of buckets is the first in the header. */
static void buckets_are_about_as_large_as_asked(void **state) {
  (void)state;
  static const struct {
    uint64_t size;
    uint8_t count;
  } cases[] = {{UINT64_MAX, 1}, {2000, 1}, {1000, 1}, {600, 1}, {500, 2}, {400, 3}, {200, 3}, {100, 4}, {1, 4}, {0, 4}};
  records r = new_records();
  cpb_buffer record;
  cpb_buffer_init(&record, &plain);
  for (uint32_t i = 1; i <= 4; i++) {
    cpb_buffer value;
    cpb_buffer_init(&value, &plain);
    for (uint32_t k = 0; k < 100 * i - (i == 1 ? 1 : 2); k++) append(&value, "\xff", 1);
    append_field(&record, i, &value);
    cpb_buffer_free(&value);
  }
  add_record(&r, record.data, record.size);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_buffer chunk = chunk_of(&r, CPB_CODEC_ZSTD, cases[i].size);
    cpb_codec_error error = {CPB_OK, NULL};
    cpb_buffer header;
    cpb_buffer_init(&header, &plain);
    cpb_span rest = {chunk.data + 1, chunk.size - 1};
    const uint64_t stored = take_number(&rest);
    rest.size = (size_t)stored;
    assert_true(cpb_decompress_all(NULL, NULL, chunk.data[0], rest, 1000, &header, &error));
    rest = (cpb_span){header.data, header.size};
    assert_int_equal(take_number(&rest), cases[i].count);
    assert_int_equal(decode(&r, &chunk, 1), CPB_OK);
    cpb_buffer_free(&header);
    cpb_buffer_free(&chunk);
  }
  cpb_buffer_free(&record);
  cpb_buffer_free(&r.bytes);
}

/* --- Memory ------------------------------------------------------------------------ */

static void a_chunk_like_the_one_before_takes_no_new_memory(void **state) {
  (void)state;
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  records r = new_records();
  for (uint64_t i = 0; i < 20; i++) add_random_records(&r, i);
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *c = compressor_for(NULL, CPB_CODEC_NONE);
  cpb_transpose_encoder *e = cpb_transpose_encoder_new(&a);
  cpb_buffer first, again;
  cpb_buffer_init(&first, &plain);
  cpb_buffer_init(&again, &plain);
  assert_true(encode(e, c, UINT64_MAX, &r, &first, &error));
  const size_t held = cpb_transpose_encoder_memory(e), largest = f.largest, taken = f.calls;
  cpb_transpose_encoder_reset(e, 1 << 20);
  f.calls = 0;
  assert_true(encode(e, c, UINT64_MAX, &r, &again, &error));
  assert_int_equal(first.size, again.size);
  assert_memory_equal(first.data, again.data, first.size);
  assert_true(taken > 40);
  assert_int_equal(f.calls, 0);
  assert_true(held >= largest && held < 200 * r.bytes.size);
  cpb_transpose_encoder_reset(e, 100);
  assert_true(cpb_transpose_encoder_memory(e) < 2000);
  cpb_transpose_encoder_free(e);
  assert_int_equal(f.blocks, 0);
  cpb_compressor_free(c);
  cpb_buffer_free(&first);
  cpb_buffer_free(&again);
  cpb_buffer_free(&r.bytes);
}

/* After each failure the encoder is reset and used again. */
static void every_allocation_may_fail(void **state) {
  (void)state;
  records r = new_records();
  for (uint64_t i = 0; i < 6; i++) add_random_records(&r, i);
  cpb_compressor *c = compressor_for(NULL, CPB_CODEC_ZSTD);
  cpb_buffer chunk;
  cpb_buffer_init(&chunk, &plain);
  bool failed = true;
  for (size_t n = 1; failed; n += sanitized_stride(5)) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
      failing_allocator f = {.fail_at = n, .for_ever = for_ever};
      const cpb_allocator a = failing_allocator_of(&f);
      cpb_codec_error error = {CPB_OK, NULL};
      cpb_transpose_encoder *e = cpb_transpose_encoder_new(&a);
      failed = !e || !encode(e, c, 100, &r, &chunk, &error);
      assert_int_equal(failed, f.calls >= n);
      if (e) assert_int_equal(error.code, failed ? CPB_E_MEMORY : CPB_OK);
      f.fail_at = 0;
      if (e && failed) {
        cpb_transpose_encoder_reset(e, 500);
        assert_true(encode(e, c, 100, &r, &chunk, &error));
      }
      if (e) assert_int_equal(decode(&r, &chunk, 100), CPB_OK);
      cpb_transpose_encoder_free(e);
      assert_int_equal(f.blocks, 0);
    }
  }
  cpb_compressor_free(c);
  cpb_buffer_free(&chunk);
  cpb_buffer_free(&r.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_chunks_are_known_to_the_byte),
      cmocka_unit_test(actions_have_as_many_nodes_as_the_rules_say),
      cmocka_unit_test(only_what_comes_back_byte_for_byte_is_taken_apart),
      cmocka_unit_test(messages_and_groups_are_taken_apart_to_a_depth_of_100),
      cmocka_unit_test(a_record_of_4_gib_that_is_no_message_is_refused),
      cmocka_unit_test(random_records_come_back),
      cmocka_unit_test(transitions_reach_however_many_nodes),
      cmocka_unit_test(large_strings_come_back),
      cmocka_unit_test(buckets_are_about_as_large_as_asked),
      cmocka_unit_test(a_chunk_like_the_one_before_takes_no_new_memory),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

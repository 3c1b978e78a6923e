#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "cpb/message.h"
#include "editions_schema.h"
#include "failing_allocator.h"

#define SPAN(text) ((cpb_span){(const uint8_t *)(text), sizeof(text) - 1})

static cpb_schema *builtin, *editions_types;

static int make_schemas(void **state) {
  (void)state;
  builtin = cpb_schema_new_builtin(NULL, NULL);
  editions_types = cpb_schema_new(NULL, editions, editions_size, NULL, NULL);
  return builtin == NULL || editions_types == NULL;
}

static int free_schemas(void **state) {
  (void)state;
  cpb_schema_free(builtin);
  cpb_schema_free(editions_types);
  return 0;
}

typedef struct {
  char text[4096];
  size_t size;    /* of the whole, of which the text may be the beginning */
  size_t largest; /* step */
  cpb_error error;
} result;

static result run(const cpb_allocator *a, const cpb_schema *s, const char *type, cpb_span bytes,
                  const cpb_json_options *options) {
  result r = {.error = {.offset = CPB_NO_OFFSET}};
  cpb_json *json = cpb_json_new(a, cpb_schema_find_message(s, type), bytes.data, bytes.size, options);
  if (json == NULL) {
    r.error.code = CPB_E_MEMORY;
    return r;
  }
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    assert_true(length > 0);
    if (length > r.largest) r.largest = length;
    if (r.size + length < sizeof r.text) memcpy(r.text + r.size, text, length);
    r.size += length;
  }
  if (step == CPB_STEP_ERROR) r.error = *cpb_json_error(json);
  assert_int_equal(cpb_json_step(json), step);
  cpb_json_free(json);
  return r;
}

static void expect(const cpb_schema *s, const char *type, cpb_span bytes, const cpb_json_options *options,
                   const char *json) {
  result r = run(NULL, s, type, bytes, options);
  if (r.error.code != CPB_OK) fail_msg("%s", r.error.message);
  assert_string_equal(r.text, json);
}

/* aBC1 {aBC1 {im: 3} lp {rp: [1, 2, -3] rx: [4, 5]}} lp {} rq: 0 en: C0 eo: OA
 * mp {key: ""} mp {key: "k\"\n" value {im: 1}} [ed.out] {en: C1} [ed.out] {}
 * [ed.A.in]: "x\u2028\u00e9", serialized by Google's protobuf; then
 * en: 3, which C lacks, eo: 9, which O lacks, an unknown number and group. */
static const char everything[] =
    "\x0b\x0b\x18\x03\x0c\x12\x12\x2a\x0c\x01\x02\xfd\xff\xff\xff\xff\xff\xff\xff\xff\x01\x30\x04\x30\x05\x0c"
    "\x12\x00\x20\x00\x38\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x40\x02\x4a\x09\x0a\x03k\"\n\x12\x02\x18\x01"
    "\x4a\x04\x0a\x00\x12\x00\xaa\x06\x06x\xe2\x80\xa8\xc3\xa9\xa3\x06\x38\x01\xa4\x06\xa3\x06\xa4\x06"
    "\x38\x03\x40\x09\xf8\x7f\x01\xfb\x07\x08\x01\xfc\x07";

#define KNOWN                                                                                     \
  "{\"aBC1\":{\"aBC1\":{\"im\":3},\"lp\":{\"rp\":[1,2,-3],\"rx\":[4,5]}},\"lp\":{},\"rq\":0,"     \
  "\"en\":\"C0\",\"eo\":9,\"mp\":{\"\":{},\"k\\\"\\n\":{\"im\":1}},\"[ed.out]\":[{\"en\":\"C1\"}" \
  ",{}],\"[ed.A.in]\":\"x\xe2\x80\xa8\xc3\xa9\""

static void every_kind_of_field_is_written_as_protobuf_does(void **state) {
  (void)state;
  expect(editions_types, "ed.A", SPAN(everything), NULL, KNOWN "}");
}

static void unknown_fields_are_shown_when_asked_for(void **state) {
  (void)state;
  cpb_json_options options = {.struct_size = sizeof options, .unknown_fields = 1};
  expect(editions_types, "ed.A", SPAN(everything), &options,
         KNOWN
         ",\"@unknown\":[{\"number\":7,\"wireType\":0,\"value\":\"3\"},"
         "{\"number\":2047,\"wireType\":0,\"value\":\"1\"},"
         "{\"number\":127,\"wireType\":3,\"value\":\"+wcIAfwH\"}]}");
}

static void names_and_layout_are_the_callers_choice(void **state) {
  (void)state;
  cpb_json_options options = {.struct_size = sizeof options, .original_names = 1, .indent = 2};
  expect(editions_types, "ed.A", SPAN("\x0b\x12\x00\x2a\x02\x01\x02\x0c"), &options,
         "{\n  \"a_b_c1\": {\n    \"lp\": {},\n    \"rp\": [\n      1,\n      2\n    ]\n  }\n}");
}

static void numbers_strings_and_bytes_are_mapped(void **state) {
  (void)state;
  /* dtype: DT_FLOAT tensor_content: "\000\377~" float_val: [0.1, NaN, -inf]
   * int_val: -1 int64_val: -5 bool_val: true */
  expect(
      builtin, "tensorflow.TensorProto",
      SPAN(
          "\x08\x01\x22\x03\x00\xff~\x2a\x0c\xcd\xcc\xcc\x3d\x00\x00\xc0\x7f\x00\x00\x80\xff"
          "\x3a\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x52\x0a\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x5a\x01\x01"),
      NULL,
      "{\"dtype\":\"DT_FLOAT\",\"tensorContent\":\"AP9+\",\"floatVal\":[0.1,\"NaN\",\"-Infinity\"],"
      "\"intVal\":[-1],\"int64Val\":[\"-5\"],\"boolVal\":[true]}");
  expect(builtin, "tensorflow.NodeDef", SPAN("\x0a\x07\x01\"\\\x7f\xc2\x9bz"), NULL,
         "{\"name\":\"\\u0001\\\"\\\\\\u007f\\u009bz\"}");
}

static void defaults_without_presence_are_left_out(void **state) {
  (void)state;
  expect(builtin, "tensorflow.VersionDef", SPAN("\x08\x05\x08\x00\x10\x00\x1a\x00"), NULL, "{}");
  expect(builtin, "tensorflow.AttrValue", SPAN("\x18\x00"), NULL, "{\"i\":\"0\"}"); /* in a oneof */
}

static void wrappers_are_their_value(void **state) {
  (void)state;
  expect(builtin, "tensorflow.TrackableObjectGraph.TrackableObject", SPAN("\x2a\x02\x08\x01"), NULL,
         "{\"hasCheckpointValues\":true}");
  expect(builtin, "tensorflow.TrackableObjectGraph.TrackableObject", SPAN("\x2a\x00"), NULL,
         "{\"hasCheckpointValues\":false}");
}

static void repeated_occurrences_merge_as_in_a_parser(void **state) {
  (void)state;
  /* GraphDef.versions twice: its fields from both; node, versions, node. */
  expect(builtin, "tensorflow.GraphDef", SPAN("\x22\x04\x08\x01\x10\x02\x0a\x03\x0a\x01x\x22\x02\x08\x07\x0a\x00"),
         NULL, "{\"node\":[{\"name\":\"x\"},{}],\"versions\":{\"producer\":7,\"minConsumer\":2}}");
  /* AttrValue: shape, then i, then shape: only the last shape is left. */
  expect(builtin, "tensorflow.AttrValue", SPAN("\x3a\x02\x18\x01\x18\x05\x3a\x04\x12\x02\x08\x03"), NULL,
         "{\"shape\":{\"dim\":[{\"size\":\"3\"}]}}");
  /* Two entries with one key: the last; an entry without key or value. */
  expect(builtin, "tensorflow.NodeDef",
         SPAN("\x2a\x07\x0a\x01"
              "b\x12\x02\x18\x01\x2a\x07\x0a\x01"
              "a\x12\x02\x18\x02\x2a\x07\x0a\x01"
              "b\x12\x02\x18\x03\x2a\x00"),
         NULL, "{\"attr\":{\"\":{},\"a\":{\"i\":\"2\"},\"b\":{\"i\":\"3\"}}}");
  /* Repeated numbers packed and one by one. */
  expect(builtin, "tensorflow.VersionDef", SPAN("\x18\x01\x1a\x02\x02\x03\x18\x04"), NULL,
         "{\"badConsumers\":[1,2,3,4]}");
}

static void strings_that_are_not_utf8_are_replaced_or_refused(void **state) {
  (void)state;
  /* Lone continuation, overlong, surrogate, beyond U+10FFFF, cut. */
  cpb_span bytes = SPAN(
      "\x0a\x10"
      "\x80"
      "a"
      "\xc0\x80"
      "\xed\xa0\x80"
      "\xf4\x90\x80\x80"
      "\xe2\x82"
      "bcd");
  expect(builtin, "tensorflow.NodeDef", bytes, NULL,
         "{\"name\":\"\\ufffda\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffdbcd\"}");
  cpb_json_options options = {.struct_size = sizeof options, .strict_utf8 = 1};
  result r = run(NULL, builtin, "tensorflow.NodeDef", bytes, &options);
  assert_int_equal(r.error.code, CPB_E_DAMAGED);
  assert_string_equal(r.error.message, "string that is not UTF-8 at byte 2 of the message");
}

static void large_values_come_in_pieces(void **state) {
  (void)state;
  const size_t size = 1000000;
  uint8_t *bytes = calloc(1, size + 4);
  memcpy(bytes, "\x22\xc0\x84\x3d", 4);
  result r = run(NULL, builtin, "tensorflow.TensorProto", (cpb_span){bytes, size + 4}, NULL);
  assert_int_equal(r.error.code, CPB_OK);
  assert_int_equal(r.size, strlen("{\"tensorContent\":\"\"}") + (size + 2) / 3 * 4);
  assert_true(r.largest < 40000);
  memset(bytes + 4, 0x01, size);
  bytes[0] = 0x0a;
  r = run(NULL, builtin, "tensorflow.NodeDef", (cpb_span){bytes, size + 4}, NULL);
  assert_int_equal(r.size, strlen("{\"name\":\"\"}") + size * 6);
  assert_true(r.largest < 80000);
  free(bytes);
}

static void damage_is_named_with_its_offset(void **state) {
  (void)state;
  static const struct {
    const char *type;
    cpb_span bytes;
    const char *text;
  } cases[] = {
      {"tensorflow.GraphDef", {(const uint8_t *)"\x0a\x03\x0a\x02x", 5}, "past the end of its message at byte 2 "},
      {"tensorflow.VersionDef",
       {(const uint8_t *)"\x08\x01\x1a\x01\x80", 5},
       "packed varint that does not end at byte 4 "},
      {"tensorflow.TensorProto",
       {(const uint8_t *)"\x2a\x05"
                         "abcde",
        7},
       "packed numbers that end within one at byte 6 "},
      {"tensorflow.NodeDef", {(const uint8_t *)"\x2a\x01\x0a", 3}, "message that ends within a field at byte 2 "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    result r = run(NULL, builtin, cases[i].type, cases[i].bytes, NULL);
    assert_int_equal(r.error.code, CPB_E_DAMAGED);
    if (strstr(r.error.message, cases[i].text) == NULL) fail_msg("case %zu: %s", i, r.error.message);
  }
}

/* FullTypeDef.args, `levels` deep. */
static cpb_code nest(size_t levels, uint32_t depth) {
  static uint8_t bytes[1 << 20];
  size_t at = sizeof bytes;
  for (size_t i = 0; i < levels; i++) {
    uint8_t head[12] = {0x12};
    size_t n = (size_t)(cpb_varint_write(head + 1, sizeof bytes - at) - head);
    at -= n;
    memcpy(bytes + at, head, n);
  }
  cpb_limits limits = {.struct_size = sizeof limits, .depth = depth};
  cpb_json_options options = {.struct_size = sizeof options, .limits = &limits};
  return run(NULL, builtin, "tensorflow.FullTypeDef", (cpb_span){bytes + at, sizeof bytes - at}, &options).error.code;
}

static void nesting_is_limited_and_never_recursed_into(void **state) {
  (void)state;
  assert_int_equal(nest(100, 100), CPB_OK);
  assert_int_equal(nest(101, 100), CPB_E_LIMIT);
  assert_int_equal(nest(100000, UINT32_MAX), CPB_OK);
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  bool done = false;
  for (size_t n = 1; !done; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_json_options options = {.struct_size = sizeof options, .unknown_fields = 1, .indent = 1};
    result r = run(&a, editions_types, "ed.A", SPAN(everything), &options);
    done = f.calls < n;
    assert_int_equal(r.error.code, done ? CPB_OK : CPB_E_MEMORY);
    assert_int_equal(f.blocks, 0);
  }
}

static void damaged_bytes_never_do_worse_than_fail(void **state) {
  (void)state;
  for (size_t i = 0; i < (sizeof everything - 1) * 8; i++) {
    uint8_t bytes[sizeof everything - 1];
    memcpy(bytes, everything, sizeof bytes);
    bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    run(NULL, editions_types, "ed.A", (cpb_span){bytes, sizeof bytes}, NULL);
    run(NULL, editions_types, "ed.A", (cpb_span){bytes, i / 8}, NULL);
  }
}

static void decimals_are_short_and_read_back(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},
               {-0.0, "-0"},
               {1, "1"},
               {0.1, "0.1"},
               {-2.5, "-2.5"},
               {1e21, "1e+21"},
               {1e23, "1e+23"},
               {5e-324, "5e-324"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {1e-5, "0.00001"},
               {1.0 / 3, "0.3333333333333333"},
               {9007199254740992.0, "9007199254740992"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {123456.789e-20, "1.23456789e-15"}};
  char out[CPB_DECIMAL_MAX];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(cpb_decimal_double(out, cases[i].value), strlen(cases[i].text));
    assert_string_equal(out, cases[i].text);
  }
  cpb_decimal_float(out, 0.1f);
  assert_string_equal(out, "0.1");
  cpb_decimal_float(out, 3.4028235e38f);
  assert_string_equal(out, "3.4028235e+38");
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < 5000; i++) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value - value != 0) continue; /* not finite */
    size_t length = cpb_decimal_double(out, value);
    assert_int_equal(length, strlen(out));
    assert_true(strtod(out, NULL) == value);
    float narrow = (float)value;
    if (narrow - narrow != 0) continue;
    cpb_decimal_float(out, narrow);
    assert_true(strtof(out, NULL) == narrow);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_field_is_written_as_protobuf_does),
      cmocka_unit_test(unknown_fields_are_shown_when_asked_for),
      cmocka_unit_test(names_and_layout_are_the_callers_choice),
      cmocka_unit_test(numbers_strings_and_bytes_are_mapped),
      cmocka_unit_test(defaults_without_presence_are_left_out),
      cmocka_unit_test(wrappers_are_their_value),
      cmocka_unit_test(repeated_occurrences_merge_as_in_a_parser),
      cmocka_unit_test(strings_that_are_not_utf8_are_replaced_or_refused),
      cmocka_unit_test(large_values_come_in_pieces),
      cmocka_unit_test(damage_is_named_with_its_offset),
      cmocka_unit_test(nesting_is_limited_and_never_recursed_into),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(damaged_bytes_never_do_worse_than_fail),
      cmocka_unit_test(decimals_are_short_and_read_back),
  };
  return cmocka_run_group_tests(tests, make_schemas, free_schemas);
}

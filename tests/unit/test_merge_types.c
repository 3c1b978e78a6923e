/* Numbers and map keys that chunks and indices say as text, against their
 * encodings on the wire. */
#include "map_schema.h"

#include "chunked/merge/number_text.h"
#include "merge_case.h"

/* --- Numbers -------------------------------------------------------------------- */

static void is_number(cpb_field_type type, const char *text, const char *wire, size_t size) {
  static const cpb_enum_value values[] = {{"MINUS", -1}, {"ZERO", 0}, {"TWO", 2}};
  static const cpb_enum_type enumeration = {"E", values, 3, 0};
  const cpb_field field = {.number = 1, .type = type, .enumeration = &enumeration};
  uint8_t out[CPB_NUMBER_MAX];
  size_t n = cpb_number_text_field(&field, (cpb_span){(const uint8_t *)text, strlen(text)}, out);
  if (n != size || memcmp(out, wire, n) != 0) fail_msg("type %d, \"%s\": %zu bytes", type, text, n);
}
#define NUMBER(type, text, wire) is_number(CPB_TYPE_##type, text, wire, sizeof(wire) - 1)

static void numbers_are_encoded_as_their_type(void **state) {
  (void)state;
  NUMBER(INT32, "150", "\x08\x96\x01");
  NUMBER(INT32, " \t+150 and more", "\x08\x96\x01");
  NUMBER(INT32, "-1", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  NUMBER(INT64, "-2147483649", "\x08\xff\xff\xff\xff\xf7\xff\xff\xff\xff\x01");
  NUMBER(SINT32, "-2147483648", "\x08\xff\xff\xff\xff\x0f");
  NUMBER(SINT64, "-2", "\x08\x03");
  NUMBER(UINT32, "4294967295", "\x08\xff\xff\xff\xff\x0f");
  NUMBER(UINT64, "18446744073709551615", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  NUMBER(FIXED32, "1", "\x0d\x01\x00\x00\x00");
  NUMBER(SFIXED32, "-2", "\x0d\xfe\xff\xff\xff");
  NUMBER(FIXED64, "1", "\x09\x01\x00\x00\x00\x00\x00\x00\x00");
  NUMBER(SFIXED64, "-2", "\x09\xfe\xff\xff\xff\xff\xff\xff\xff");
  NUMBER(FLOAT, "1.5", "\x0d\x00\x00\xc0\x3f");
  NUMBER(DOUBLE, "-2", "\x09\x00\x00\x00\x00\x00\x00\x00\xc0");
  NUMBER(BOOL, "true", "\x08\x01");
  NUMBER(BOOL, "1", "\x08\x00");
  NUMBER(ENUM, "TWO", "\x08\x02");
  NUMBER(ENUM, "MINUS", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

static void text_that_is_no_number_is_refused(void **state) {
  (void)state;
  NUMBER(INT32, "", "");
  NUMBER(INT32, "x", "");
  NUMBER(INT32, ":", "");
  NUMBER(INT32, "--1", "");
  NUMBER(INT32, "2147483648", "");
  NUMBER(INT32, "-2147483649", "");
  NUMBER(INT64, "9223372036854775808", "");
  NUMBER(UINT32, "-1", "");
  NUMBER(UINT64, "18446744073709551616", "");
  NUMBER(UINT64, "99999999999999999999999", "");
  NUMBER(FLOAT, "1e999", "");
  NUMBER(FLOAT, "x", "");
  NUMBER(DOUBLE, "1e999", "");
  NUMBER(DOUBLE, "", "");
  NUMBER(ENUM, "THREE", "");
  NUMBER(ENUM, "ONE", "");
  NUMBER(STRING, "1", "");
}

/* --- Map keys ------------------------------------------------------------------- */

/* Merges "v" (as a message: {b: "v"}) into an empty t.M at `tag`. */
static void at_tag(const char *tag, const char *value, const char *wire, size_t size, const char *wrong) {
  static merge_case c;
  merge_case_init(&c);
  MESSAGE(&c, "");
  BYTES(&c, "v");
  add_node(&c, CPB_NO_NODE, "", 0);
  c.chunks[1] = (cpb_chunk_bytes){realloc((void *)c.chunks[1].data, strlen(value)), strlen(value), CPB_CHUNK_BYTES};
  memcpy((void *)c.chunks[1].data, value, strlen(value));
  add_node(&c, 0, tag, 1);
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const cpb_merge_options options = {.struct_size = sizeof options, .type = cpb_schema_find_message(types, "t.M")};
  cpb_buffer out;
  cpb_error error;
  cpb_buffer_init(&out, &a);
  cpb_code code = merge_with(&c, NULL, &options, &out, &error);
  if (wrong != NULL) {
    if (code == CPB_OK || strstr(error.message, wrong) == NULL) fail_msg("%s: \"%s\"", tag, error.message);
  } else if (code != CPB_OK || out.size != size || memcmp(out.data, wire, size) != 0) {
    fail_msg("%s: %zu bytes, \"%s\"", tag, out.size, error.message);
  }
  cpb_buffer_free(&out);
  merge_case_free(&c);
}
#define MERGES(tag, wire) at_tag(tag, "v", wire, sizeof(wire) - 1, NULL)
#define REFUSED(tag, wrong) at_tag(tag, "v", NULL, 0, wrong)

static void keys_are_encoded_as_their_type(void **state) {
  (void)state;
  MERGES("23[true]", "\xba\x01\x05\x08\x01\x12\x01v");
  MERGES("23[\"true\"]", "\xba\x01\x05\x08\x01\x12\x01v");
  MERGES("23[\"false\"]", "\xba\x01\x05\x08\x00\x12\x01v");
  MERGES("23[#7]", "\xba\x01\x05\x08\x01\x12\x01v");
  MERGES("24[\"-1\"]", "\xc2\x01\x0e\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01v");
  MERGES("24[\"18446744073709551615\"]", "\xc2\x01\x0e\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01v");
  MERGES("24[#5]", "\xc2\x01\x05\x08\x05\x12\x01v");
  MERGES("25[\"4294967297\"]", "\xca\x01\x05\x08\x01\x12\x01v");
  MERGES("26[\"4294967295\"]", "\xd2\x01\x0e\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01v");
  MERGES("21[\"-2\"]", "\xaa\x01\x05\x08\x03\x12\x01v");
  MERGES("10[0]", "\x52\x01v");
}

static void keys_that_do_not_fit_are_refused(void **state) {
  (void)state;
  REFUSED("23[\"maybe\"]", "neither true nor false");
  REFUSED("24[\"\"]", "the key is not an integer");
  REFUSED("24[\"4x\"]", "the key is not an integer");
  REFUSED("24[\"18446744073709551616\"]", "the key is not an integer");
  REFUSED("24[\"123456789012345678901\"]", "the key is not an integer");
  REFUSED("22[\"1\"]", "fixed-size type");
  REFUSED("20[#1]", "the map has string keys, and the key is a number");
  REFUSED("10[\"k\"]", "a field that is not a map");
  REFUSED("2[0]", "not repeated");
  REFUSED("8", "a group");
  REFUSED("23", "a map without a key");
  REFUSED("5[0]", "an element of a repeated number");
}

static void a_text_that_is_too_long_for_a_number_is_refused(void **state) {
  (void)state;
  char text[2000];
  memset(text, ' ', sizeof text - 1);
  text[sizeof text - 1] = 0;
  text[0] = '1';
  at_tag("1", text, NULL, 0, "the chunk is too long to be its text");
  text[3] = 0;
  at_tag("1", text, "\x08\x01", 2, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_encoded_as_their_type),
      cmocka_unit_test(text_that_is_no_number_is_refused),
      cmocka_unit_test(a_text_that_is_too_long_for_a_number_is_refused),
      cmocka_unit_test(keys_are_encoded_as_their_type),
      cmocka_unit_test(keys_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}

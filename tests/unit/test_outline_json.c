/* Outlines as JSON: where a value was omitted it says so. The expected texts are
 * protobuf's JSON, by hand. */
#include "split_help.h"

#include "cpb/outline.h"
#include "map_schema.h"

#define MESSAGE_OF(literal) ((bytes){(uint8_t *)(literal), sizeof(literal) - 1})

static cpb_outline *outline_of(bytes m, uint32_t depth) {
  const cpb_limits limits = {.struct_size = sizeof limits, .depth = depth};
  const cpb_outline_options options = {.struct_size = sizeof options, .max_value = 4, .limits = &limits};
  cpb_outline *outline = cpb_outline_new(NULL, cpb_schema_find_message(types, "t.M"), NULL, 0, &options);
  uint8_t *lent = NULL;
  while (cpb_outline_step(outline) == CPB_STEP_NEED) lent = lend(cpb_outline_input(outline), m, 0, lent);
  assert_int_equal(cpb_outline_error(outline)->code, CPB_OK);
  free(lent);
  return outline;
}

/* Without spaces, with and without indentation. */
static void is_json(bytes m, uint32_t depth, const char *wanted) {
  cpb_outline *outline = outline_of(m, depth);
  size_t size;
  const uint8_t *data = cpb_outline_message(outline, &size);
  for (unsigned indent = 0; indent <= 1; indent++) {
    cpb_json_options options = {
        .struct_size = sizeof options, .original_names = 1, .unknown_fields = 1, .indent = indent};
    options.omitted = cpb_outline_omitted(outline, &options.num_omitted);
    cpb_json *json = cpb_json_new(NULL, cpb_schema_find_message(types, "t.M"), data, size, &options);
    bytes text = {NULL, 0};
    while (cpb_json_step(json) == CPB_STEP_OUTPUT) {
      size_t length;
      const char *piece = cpb_json_output(json, &length);
      for (size_t i = 0; i < length; i++)
        if (piece[i] != ' ' && piece[i] != '\n') put(&text, &piece[i], 1);
    }
    put(&text, "", 1);
    assert_int_equal(cpb_json_error(json)->code, CPB_OK);
    assert_string_equal((char *)text.data, wanted);
    free(text.data);
    cpb_json_free(json);
  }
  cpb_outline_free(outline);
}

static void json_shows_where_a_value_is(void **state) {
  (void)state;
  is_json(MESSAGE_OF("\x12\x05"
                     "abcde"
                     "\x08\x01"),
          100, "{\"n\":1,\"b\":{\"@omitted\":{\"offset\":2,\"size\":5}}}");
  /* The last value counts, be it omitted or empty. */
  is_json(MESSAGE_OF("\x12\x05"
                     "abcde"
                     "\x12\x01"
                     "a"),
          100, "{\"b\":\"YQ==\"}");
  is_json(MESSAGE_OF("\x12\x01"
                     "a"
                     "\x12\x05"
                     "abcde"),
          100, "{\"b\":{\"@omitted\":{\"offset\":5,\"size\":5}}}");
}

static void json_shows_omitted_elements_in_their_places(void **state) {
  (void)state;
  is_json(
      MESSAGE_OF("\x52\x01"
                 "a"
                 "\x52\x05"
                 "abcde"
                 "\x52\x00"
                 "\x52\x06"
                 "abcdef"),
      100,
      "{\"bs\":[\"YQ==\",{\"@omitted\":{\"offset\":5,\"size\":5}},\"\",{\"@omitted\":{\"offset\":14,\"size\":6}}]}");
  is_json(MESSAGE_OF("\x38\x02\x3a\x02\x02\x04\x3a\x05\x02\x02\x02\x02\x02\x3a\x00\x38\x06"), 100,
          "{\"s\":[\"1\",\"1\",\"2\",{\"@omitted\":{\"offset\":8,\"size\":5}},\"3\"]}");
  is_json(MESSAGE_OF("\x3a\x05\x02\x02\x02\x02\x02"), 100, "{\"s\":[{\"@omitted\":{\"offset\":2,\"size\":5}}]}");
  is_json(MESSAGE_OF("\x22\x07\x12\x05"
                     "abcde"
                     "\x22\x00"),
          100, "{\"ms\":[{\"b\":{\"@omitted\":{\"offset\":4,\"size\":5}}},{}]}");
}

static void json_shows_omitted_values_of_maps(void **state) {
  (void)state;
  is_json(MESSAGE_OF("\xd2\x01\x09\x08\x07\x12\x05"
                     "abcde"
                     "\xd2\x01\x02\x08\x05"),
          100, "{\"by_int32\":{\"5\":\"\",\"7\":{\"@omitted\":{\"offset\":7,\"size\":5}}}}");
  is_json(MESSAGE_OF("\xa2\x01\x10\x0a\x05"
                     "a key"
                     "\x12\x07\x12\x05"
                     "abcde"),
          100, "{\"by_text\":{\"akey\":{\"b\":{\"@omitted\":{\"offset\":14,\"size\":5}}}}}");
}

static void json_shows_omitted_unknown_fields(void **state) {
  (void)state;
  is_json(MESSAGE_OF("\x7a\x05"
                     "abcde"),
          100, "{\"@unknown\":[{\"number\":15,\"wireType\":2,\"value\":{\"@omitted\":{\"offset\":2,\"size\":5}}}]}");
}

static void json_shows_messages_that_are_nested_too_deep(void **state) {
  (void)state;
  is_json(MESSAGE_OF("\x1a\x0a\x08\x01\x1a\x06\x12\x04"
                     "abcd"),
          1, "{\"m\":{\"n\":1,\"m\":{\"@omitted\":{\"offset\":6,\"size\":6}}}}");
  /* Parts of one message, of which one is omitted; a whole entry. */
  is_json(MESSAGE_OF("\x1a\x0e\x1a\x06\x12\x04"
                     "abcd"
                     "\x1a\x04\x08\x01\x08\x02"),
          1, "{\"m\":{\"m\":{\"@omitted\":{\"offset\":4,\"size\":6}}}}");
  is_json(MESSAGE_OF("\x1a\x0b\xd2\x01\x08\x08\x07\x12\x04"
                     "abcd"),
          1, "{\"m\":{\"by_int32\":{\"@omitted\":{\"offset\":5,\"size\":8}}}}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_shows_where_a_value_is),
      cmocka_unit_test(json_shows_omitted_elements_in_their_places),
      cmocka_unit_test(json_shows_omitted_values_of_maps),
      cmocka_unit_test(json_shows_omitted_unknown_fields),
      cmocka_unit_test(json_shows_messages_that_are_nested_too_deep),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}

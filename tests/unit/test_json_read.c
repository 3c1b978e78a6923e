#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "failing_allocator.h"

static cpb_allocator allocator;

static cpb_span span(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static yyjson_doc *read_text(const char *text) {
  cpb_error error = {0};
  yyjson_doc *doc = cpb_json_read(&allocator, span(text), 100, &error);
  if (doc == NULL) fail_msg("%s: %s", text, error.message);
  return doc;
}

static void numbers_stay_as_they_are_written(void **state) {
  (void)state;
  yyjson_doc *doc = read_text("[1.50e+3, NaN, -Infinity, 18446744073709551616]");
  const char *texts[] = {"1.50e+3", "NaN", "-Infinity", "18446744073709551616"};
  for (size_t i = 0; i < 4; i++) {
    cpb_span text;
    assert_true(cpb_json_number(yyjson_arr_get(yyjson_doc_get_root(doc), i), &text));
    assert_int_equal(text.size, strlen(texts[i]));
    assert_memory_equal(text.data, texts[i], text.size);
  }
  yyjson_doc_free(doc);
}

static void an_integer_is_one_that_fits(void **state) {
  (void)state;
  static const struct {
    const char *text;
    bool fits;
    int64_t value;
  } cases[] = {{"0", true, 0},
               {"-7", true, -7},
               {"9223372036854775807", true, INT64_MAX},
               {"9223372036854775808", false, 0},
               {"-9223372036854775808", true, INT64_MIN},
               {"-9223372036854775809", false, 0},
               {"99999999999999999999", false, 0},
               {"1.0", false, 0},
               {"1e3", false, 0},
               {"NaN", false, 0},
               {"\"1\"", false, 0},
               {"null", false, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    yyjson_doc *doc = read_text(cases[i].text);
    int64_t value = 0;
    assert_int_equal(cpb_json_signed(yyjson_doc_get_root(doc), &value), cases[i].fits);
    assert_true(value == cases[i].value);
    yyjson_doc_free(doc);
  }
  int64_t value;
  assert_false(cpb_json_signed(NULL, &value));
}

static void text_may_hold_nul(void **state) {
  (void)state;
  yyjson_doc *doc = read_text("{\"a\\u0000b\": 1, \"c\": \"\\ud83d\\ude00\\u0000\"}");
  cpb_span text;
  assert_true(cpb_json_text(cpb_json_member(yyjson_doc_get_root(doc), "c"), &text));
  assert_int_equal(text.size, 5);
  assert_memory_equal(text.data, "\xf0\x9f\x98\x80\0", 5);
  assert_null(cpb_json_member(yyjson_doc_get_root(doc), "a"));
  assert_null(cpb_json_member(NULL, "a"));
  yyjson_doc_free(doc);
}

static void an_error_says_where_json_is_malformed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t offset;
  } cases[] = {{"", 0}, {"{\"a\": }", 6}, {"[1,]", 2}, {"[1] 2", 4}, {"[01]", 1}, {"\"\xff\"", 1}, {"[nul]", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_error error = {0};
    assert_null(cpb_json_read(&allocator, span(cases[i].text), 100, &error));
    assert_int_equal(error.code, CPB_E_DAMAGED);
    if (error.offset != cases[i].offset) fail_msg("%s: %s at %zu", cases[i].text, error.message, (size_t)error.offset);
  }
}

static void depth_is_bounded(void **state) {
  (void)state;
  char text[2001];
  memset(text, '[', 1000);
  memset(text + 1000, ']', 1000);
  text[2000] = '\0';
  cpb_error error = {0};
  yyjson_doc *doc = cpb_json_read(&allocator, span(text), 1000, &error);
  assert_non_null(doc);
  yyjson_doc_free(doc);
  assert_null(cpb_json_read(&allocator, span(text), 999, &error));
  assert_int_equal(error.code, CPB_E_LIMIT);
  assert_int_equal(error.offset, 999);
  yyjson_doc_free(read_text("{\"[[[[\\\"[[[[\": [{}, {}, [], []]}"));
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  yyjson_doc *doc = NULL;
  for (size_t n = 1; doc == NULL; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_error error = {0};
    doc = cpb_json_read(&a, span("[1,2,3,4,5,6,7,8,9,[1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6]]"), 9, &error);
    assert_int_equal(error.code, doc != NULL ? CPB_OK : CPB_E_MEMORY);
    yyjson_doc_free(doc);
    assert_int_equal(f.blocks, 0);
  }
}

int main(void) {
  allocator = cpb_allocator_or_default(NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_stay_as_they_are_written),
      cmocka_unit_test(an_integer_is_one_that_fits),
      cmocka_unit_test(text_may_hold_nul),
      cmocka_unit_test(an_error_says_where_json_is_malformed),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cpb/message.h"
#include "failing_allocator.h"

static cpb_path *parse(const char *text) {
  cpb_error error;
  cpb_path *path = cpb_path_parse(NULL, text, strlen(text), &error);
  if (path == NULL) fail_msg("%s: %s", text, error.message);
  return path;
}

static void a_path_is_read_as_its_tags(void **state) {
  (void)state;
  cpb_path *path = parse("node[15].attr[\"a\\\"\\x00b\"].2[-3].[my.ext][true].value");
  static const struct {
    cpb_path_kind kind;
    uint64_t value;
    int negative;
    const char *text;
    size_t length;
  } tags[] = {
      {CPB_PATH_NAME, 0, 0, "node", 4},   {CPB_PATH_INDEX, 15, 0, "", 0}, {CPB_PATH_NAME, 0, 0, "attr", 4},
      {CPB_PATH_KEY, 0, 0, "a\"\0b", 4},  {CPB_PATH_NUMBER, 2, 0, "", 0}, {CPB_PATH_INDEX, 3, 1, "", 0},
      {CPB_PATH_NAME, 0, 0, "my.ext", 6}, {CPB_PATH_BOOL, 1, 0, "", 0},   {CPB_PATH_NAME, 0, 0, "value", 5},
  };
  assert_int_equal(cpb_path_num_tags(path), sizeof tags / sizeof *tags);
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    const cpb_path_tag *tag = cpb_path_get_tag(path, i);
    assert_int_equal(tag->kind, tags[i].kind);
    assert_true(tag->value == tags[i].value);
    assert_int_equal(tag->negative, tags[i].negative);
    assert_int_equal(tag->length, tags[i].length);
    assert_memory_equal(tag->text, tags[i].text, tags[i].length);
  }
  cpb_path_free(path);
}

static void formatting_gives_the_text_back(void **state) {
  (void)state;
  const char *texts[] = {"",
                         "a",
                         "meta_graphs[0].graph_def.library.function[3]",
                         "node[15].attr[\"value\"].tensor",
                         "2[0].1",
                         "536870911",
                         "[my.package.extension].x",
                         "m[18446744073709551615]",
                         "m[-1]",
                         "m[false]",
                         "m[\"\"]",
                         "m[\"\\x0a\\\\\\\"\\xc3\\xa9\"]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cpb_path *path = parse(texts[i]);
    char out[100];
    size_t length = cpb_path_format(cpb_path_get_tag(path, 0), cpb_path_num_tags(path), out, sizeof out);
    assert_string_equal(out, texts[i]);
    assert_int_equal(length, strlen(texts[i]));
    memset(out, 'x', sizeof out);
    assert_int_equal(cpb_path_format(cpb_path_get_tag(path, 0), cpb_path_num_tags(path), out, 3), length);
    assert_true(strlen(out) <= 2 && strncmp(out, texts[i], strlen(out)) == 0);
    assert_int_equal(cpb_path_format(cpb_path_get_tag(path, 0), cpb_path_num_tags(path), NULL, 0), length);
    cpb_path_free(path);
  }
}

static void mistakes_say_where(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t offset;
  } cases[] = {{".a", 0},
               {"a.", 2},
               {"a..b", 2},
               {"a b", 1},
               {"a[", 2},
               {"a[1", 3},
               {"a[x]", 2},
               {"a[\"x]", 5},
               {"a[\"\\q\"]", 4},
               {"0", 0},
               {"536870912", 0},
               {"[]", 1},
               {"[a", 2},
               {"a[-]", 3},
               {"a[\"\\x4\"]", 4},
               {"a]", 1},
               {"a[18446744073709551616]", 21},
               {"a[99999999999999999999]", 21},
               {"99999999999999999999", 19},
               {"a[\"\\", 4},
               {"a[\"\\x", 4},
               {"a[\"\\xg0\"]", 4},
               {"a[\"\\x0g\"]", 4},
               {"a[\"\\x/0\"]", 4},
               {"a[\"b\"", 5},
               {"a[\"b\"x]", 5},
               {"a[true", 6},
               {"a[tru]", 2},
               {"a[1x]", 3},
               {"a@", 1},
               {"a[1]b", 4},
               {"a{", 1},
               {"a`", 1},
               {"a/", 1},
               {"a:", 1},
               {"a\x7f", 1},
               {"[a b]", 2},
               {"[9]", 1},
               {"a.", 2},
               {"[a.b", 4},
               {"a[-x]", 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cpb_error error;
    assert_null(cpb_path_parse(NULL, cases[i].text, strlen(cases[i].text), &error));
    assert_int_equal(error.code, CPB_E_USAGE);
    if (error.offset != cases[i].offset) fail_msg("%s: %s", cases[i].text, error.message);
  }
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  cpb_path *path = NULL;
  for (size_t n = 1; path == NULL; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_error error;
    path = cpb_path_parse(&a, "a.b.c[1].d.e.f[\"x\"].g", 21, &error);
    assert_int_equal(error.code, path != NULL ? CPB_OK : CPB_E_MEMORY);
    if (path != NULL) cpb_path_free(path);
    assert_int_equal(f.blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_path_is_read_as_its_tags),
      cmocka_unit_test(formatting_gives_the_text_back),
      cmocka_unit_test(mistakes_say_where),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Comparing answers: pairs of functions, tables, members; and memory that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "failing_allocator.h"
#include "model/diff/diff.h"

static cpb_span span(const char *text) { return cpb_span_of(text); }

/* --- Pairs --------------------------------------------------------------------------- */

static const char *const as[] = {"__inference_f_9", "__inference_f_17", "__inference_f_101",
                                 "own_3",           "__inference_g_5",  NULL};
static const char *const bs[] = {"__inference_f_17", "__inference_f_20", "own_4",
                                 "__inference_h_5",  "__inference_f_3",  NULL};

static bool make_pairs(cpb_diff_pairs *p, const char *const *a, const char *const *b) {
  bool done = true;
  for (; *a; a++) done = done && cpb_diff_pairs_add(p, 0, span(*a));
  for (; *b; b++) done = done && cpb_diff_pairs_add(p, 1, span(*b));
  return done && cpb_diff_pairs_make(p);
}

static void is_pair(const cpb_diff_pairs *p, const char *a, const char *b) {
  const cpb_diff_pair *x = cpb_diff_pairs_find(p, 0, span(a));
  assert_non_null(x);
  if (!b) assert_null(x->names[1].data);
  else assert_true(cpb_span_is(x->names[1], b) && cpb_diff_pairs_find(p, 1, span(b)) == x);
}

static void functions_are_paired_by_name_and_then_in_the_order_of_their_numbers(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_diff_pairs p;
  cpb_diff_pairs_init(&p, &a);
  assert_true(make_pairs(&p, as, bs));
  is_pair(&p, "__inference_f_17", "__inference_f_17");
  is_pair(&p, "__inference_f_9", "__inference_f_3");
  is_pair(&p, "__inference_f_101", "__inference_f_20");
  is_pair(&p, "own_3", NULL); /* a name of somebody's own */
  is_pair(&p, "__inference_g_5", NULL);
  assert_int_equal(p.count, 7);
  assert_null(cpb_diff_pairs_find(&p, 0, span("own_4")));
  assert_true(cpb_diff_same_text(&p, span("__inference_f_9"), span("__inference_f_3")));
  assert_false(cpb_diff_same_text(&p, span("__inference_f_9"), span("__inference_f_20")));
  assert_true(cpb_diff_same_text(&p, span("CustomGradient-1"), span("CustomGradient-22")));
  assert_false(cpb_diff_same_text(&p, span("CustomGradient-1"), span("CustomGradient-")));
  assert_false(cpb_diff_same_text(&p, span("1"), span("2")));
  assert_false(cpb_diff_same_text(&p, (cpb_span){NULL, 0}, span("2")));
  cpb_diff_pairs_free(&p);
}

/* --- Members --------------------------------------------------------------------------- */

static bool make_arguments(cpb_diff_pairs *p) {
  static const char *const names[2][2] = {{"x", "y_1"}, {"x_7", "x"}};
  bool done = true;
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < 2; i++) done = done && cpb_diff_pairs_add(p, side, span(names[side][i]));
  return done && cpb_diff_pairs_make_in_order(p);
}

/* What is written; "" for the same, NULL where memory was short. To be freed. */
static char *members(const cpb_allocator *a, const char *x, const char *y) {
  const cpb_span texts[2] = {span(x), span(y)};
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_diff_pairs p, arguments;
  const cpb_diff_known known = {&p, &arguments, NULL};
  cpb_json_writer out = {.failed = false};
  bool differs;
  char *text = NULL;
  cpb_buffer_init(&out.out, a);
  cpb_diff_pairs_init(&p, a);
  cpb_diff_pairs_init(&arguments, a);
  bool done = make_pairs(&p, as, bs) && make_arguments(&arguments) &&
              cpb_diff_members(a, &known, NULL, texts, &out, &differs, &error);
  if (done) assert_int_equal(differs, out.out.size > 0);
  else assert_true(error.code == CPB_OK || error.code == CPB_E_MEMORY);
  if (done) text = calloc(out.out.size + 1, 1);
  if (done && out.out.size > 0) memcpy(text, out.out.data, out.out.size);
  cpb_diff_pairs_free(&p);
  cpb_diff_pairs_free(&arguments);
  cpb_buffer_free(&out.out);
  return text;
}

static const struct {
  const char *a, *b, *said;
} cases[] = {
    {"{\"x\":1}", "{\"x\":1}", ""},
    {"{\"x\":1,\"y\":null}", "{\"x\":1}", ""},
    {"{\"x\":1}", "{\"x\":1.0}", "{\"member\":\"x\",\"a\":1,\"b\":1.0}"},
    {"{\"x\":true}", "{\"x\":false}", "{\"member\":\"x\",\"a\":true,\"b\":false}"},
    {"{\"x\":{\"y\":[1,2]}}", "{\"x\":{\"y\":[1,3],\"z\":\"\"}}",
     "{\"member\":\"x.y\",\"a\":[1,2],\"b\":[1,3]},{\"member\":\"x.z\",\"a\":null,\"b\":\"\"}"},
    {"[1]", "{}", "{\"member\":\"\",\"a\":[1],\"b\":{}}"},
    {"{\"i\":[{\"name\":\"a\",\"s\":1},{\"name\":\"b\"}]}", "{\"i\":[{\"name\":\"b\"},{\"name\":\"a\",\"s\":2}]}",
     "{\"member\":\"i.a.s\",\"a\":1,\"b\":2}"},
    {"{\"i\":[{\"name\":\"a\"},{\"name\":\"b\"}]}", "{\"i\":[{\"name\":\"b\"},{\"name\":\"a\"}]}",
     "{\"member\":\"i\",\"a\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"b\":[{\"name\":\"b\"},{\"name\":\"a\"}]}"},
    {"{\"i\":[{\"name\":\"a\",\"s\":1},{\"name\":\"a\",\"s\":2}]}",
     "{\"i\":[{\"name\":\"a\",\"s\":1},{\"name\":\"a\",\"s\":3}]}", "{\"member\":\"i.a.s\",\"a\":2,\"b\":3}"},
    {"{\"i\":[{\"x\":1,\"y\":2}]}", "{\"i\":[{\"y\":2,\"x\":1}]}", ""},
    {"{\"i\":[[{\"x\":null}]]}", "{\"i\":[[{\"y\":5}]]}",
     "{\"member\":\"i\",\"a\":[[{\"x\":null}]],\"b\":[[{\"y\":5}]]}"},
    {"{\"f\":[\"__inference_f_9\"]}", "{\"f\":[\"__inference_f_3\"]}", ""},
    {"{\"f\":\"__inference_f_9\"}", "{\"f\":\"__inference_f_20\"}",
     "{\"member\":\"f\",\"a\":\"__inference_f_9\",\"b\":\"__inference_f_20\"}"},
    {"{\"inputs\":[\"x\",\"y_1:0\",\"z\"]}", "{\"inputs\":[\"x_7\",\"x:0\",\"z\"]}", ""},
    {"{\"inputs\":[\"x\"]}", "{\"inputs\":[\"x\"],\"z\":1}",
     "{\"member\":\"inputs\",\"a\":[\"x\"],\"b\":[\"x\"]},{\"member\":\"z\",\"a\":null,\"b\":1}"},
    {"{\"inputs\":[{\"name\":\"x\",\"user_name\":\"x\"}]}", "{\"inputs\":[{\"name\":\"x_7\",\"user_name\":\"x\"}]}",
     ""},
    {"{\"captures\":[{\"argument\":\"y_1\",\"path\":\"x\"}]}", "{\"captures\":[{\"argument\":\"x\",\"path\":\"x_7\"}]}",
     "{\"member\":\"captures.y_1.path\",\"a\":\"x\",\"b\":\"x_7\"}"},
    {"{\"attributes\":\"x\"}", "{\"attributes\":\"x_7\"}", "{\"member\":\"attributes\",\"a\":\"x\",\"b\":\"x_7\"}"},
};

static void members_that_differ_are_named_by_their_path(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *said = members(&a, cases[i].a, cases[i].b);
    assert_string_equal(said, cases[i].said);
    free(said);
  }
}

static void nesting_has_an_end(void **state) {
  (void)state;
  enum { DEEP = 500 };
  cpb_allocator a = cpb_allocator_or_default(NULL);
  char x[2 * DEEP + 2] = {0}, y[2 * DEEP + 2] = {0};
  memset(x, '[', DEEP);
  memset(x + DEEP, ']', DEEP);
  memcpy(y, x, DEEP);
  y[DEEP] = '1';
  memset(y + DEEP + 1, ']', DEEP);
  char *said = members(&a, x, y);
  assert_non_null(said);
  assert_true(said[0] != 0);
  free(said);
}

/* --- Tables ------------------------------------------------------------------------------ */

static bool fill_table(cpb_diff_table *t, const cpb_allocator *a, const char *json) {
  size_t i, count;
  yyjson_val *item;
  cpb_span key = {NULL, 0};
  static const char *const ignored[] = {"n", NULL};
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  cpb_diff_table_init(t, a);
  yyjson_doc *doc = cpb_json_read(a, span(json), 10, &error);
  bool done = doc != NULL;
  yyjson_arr_foreach(yyjson_doc_get_root(doc), i, count, item) {
    cpb_json_text(cpb_json_member(item, "k"), &key);
    done = done && cpb_diff_table_add(t, key, item, ignored, false);
  }
  yyjson_doc_free(doc);
  return done && cpb_diff_table_sort(t);
}

static const char *const list_a =
    "[{\"k\":\"b\",\"n\":1},{\"k\":\"a\",\"n\":2,\"r\":{\"offset\":1,\"size\":7}},{\"k\":\"b\",\"v\":{\"n\":3}}]";
static const char *const list_b = "[{\"k\":\"a\",\"n\":9,\"r\":{\"offset\":5,\"size\":7}},{\"k\":\"c\"},{\"k\":\"b\"}]";

static void items_are_joined_by_key_without_where_they_are(void **state) {
  (void)state;
  cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_diff_table t[2];
  assert_true(fill_table(&t[0], &a, list_a) && fill_table(&t[1], &a, list_b));
  cpb_diff_join join = {.tables = {&t[0], &t[1]}};
  static const char *const texts[][2] = {{"{\"k\":\"a\",\"r\":{\"size\":7}}", "{\"k\":\"a\",\"r\":{\"size\":7}}"},
                                         {"{\"k\":\"b\"}", "{\"k\":\"b\"}"},
                                         {"{\"k\":\"b\",\"v\":{\"n\":3}}", NULL},
                                         {NULL, "{\"k\":\"c\"}"}};
  for (size_t i = 0; i < 4; i++) {
    assert_true(cpb_diff_join_next(&join));
    for (int side = 0; side < 2; side++) {
      assert_int_equal(join.items[side] != NULL, texts[i][side] != NULL);
      if (texts[i][side]) assert_true(cpb_span_is(cpb_diff_text(&t[side], join.items[side]), texts[i][side]));
    }
  }
  assert_false(cpb_diff_join_next(&join));
  cpb_diff_table_free(&t[0]);
  cpb_diff_table_free(&t[1]);
}

static void memory_that_fails_leaks_nothing(void **state) {
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    cpb_allocator a = failing_allocator_of(&f);
    cpb_diff_table t;
    bool filled = fill_table(&t, &a, list_a);
    char *said = filled ? members(&a, cases[4].a, cases[4].b) : NULL;
    assert_int_equal(said == NULL, f.calls >= fail_at);
    cpb_diff_table_free(&t);
    free(said);
    assert_int_equal(f.blocks, 0);
    if (f.calls < fail_at) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_are_paired_by_name_and_then_in_the_order_of_their_numbers),
      cmocka_unit_test(members_that_differ_are_named_by_their_path),
      cmocka_unit_test(nesting_has_an_end),
      cmocka_unit_test(items_are_joined_by_key_without_where_they_are),
      cmocka_unit_test(memory_that_fails_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Paths of nodes, whole or cut in the middle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "failing_allocator.h"
#include "model/common/links.h"

enum { DEEPEST = 60, LONGEST = 8192 };

static char names[DEEPEST][LONGEST], joined[DEEPEST * 64 + LONGEST];
static cpb_link links[DEEPEST];
static uint32_t state_of_random = 7;

static uint32_t below(uint32_t bound) {
  state_of_random = state_of_random * 1664525u + 1013904223u;
  return (state_of_random >> 8) % bound;
}

static void make_name(char *name, size_t characters) {
  static const char *const parts[] = {"a", "_", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80"};
  for (*name = 0; characters > 0; characters--) strcat(name, parts[below(5)]);
}

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static bool is_text(const char *text, size_t size) {
  for (size_t at = 0, length; at < size; at += length)
    if ((length = cpb_utf8_length((cpb_span){(const uint8_t *)text + at, size - at})) == 0) return false;
  return true;
}

/* "BEGIN...[N bytes]...END": whole characters, of both ends as many as there is room for. */
static void check_cut(const char *path, size_t size) {
  const size_t length = strlen(joined);
  const char *mark = strstr(path, "...[");
  unsigned long long left_out;
  int after = 0;
  assert_non_null(mark);
  assert_int_equal(sscanf(mark, "...[%llu bytes]...%n", &left_out, &after), 1);
  const size_t begin = (size_t)(mark - path), end = size - begin - (size_t)after;
  assert_int_equal(begin + left_out + end, length);
  assert_memory_equal(path, joined, begin);
  assert_memory_equal(mark + after, joined + length - end, end);
  assert_true(is_text(path, begin) && is_text(mark + after, end));
  assert_in_range(begin, CPB_PATH_END - 3, CPB_PATH_END);
  assert_in_range(end, CPB_PATH_END - 3, CPB_PATH_END);
}

static void check_path(uint32_t i) {
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  cpb_buffer out;
  cpb_buffer_init(&out, &a);
  assert_true(cpb_link_path(links, i, &out) && cpb_buffer_append(&out, "", 1));
  if (strlen(joined) <= CPB_PATH_MAX) assert_string_equal((const char *)out.data, joined);
  else check_cut((const char *)out.data, out.size - 1);
  cpb_buffer_free(&out);
}

/* A chain of names, of which some are alone as long as what is shown of a path. */
static void paths_are_whole_or_cut_between_characters(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    const size_t longest = round % 2 ? 400 : 20;
    for (uint32_t i = 0; i < DEEPEST; i++) {
      make_name(names[i], i % 5 == 4 ? below((uint32_t)longest) : below(8) + (i == 0));
      if (i == 0) cpb_link_root(links, 0, span_of(names[0]));
      else cpb_link_child(links, i, i - 1, span_of(names[i]));
      if (i == 0) *joined = 0;
      else strcat(joined, ".");
      strcat(joined, names[i]);
      check_path(i);
    }
  }
}

static void a_node_may_have_no_path(void **state) {
  (void)state;
  failing_allocator f = {0};
  const cpb_allocator a = failing_allocator_of(&f);
  cpb_buffer out;
  cpb_buffer_init(&out, &a);
  links[0] = (cpb_link){.parent = CPB_NO_PARENT, .size = 3};
  assert_true(cpb_link_path(links, 0, &out));
  assert_int_equal(out.size, 0);
  cpb_buffer_free(&out);
}

static void memory_may_be_short(void **state) {
  (void)state;
  static const size_t lengths[] = {10, 2000};
  for (size_t i = 0; i < 2; i++) {
    make_name(names[0], lengths[i]);
    cpb_link_root(links, 0, span_of(names[0]));
    for (size_t fail_at = 1, calls = fail_at; fail_at <= calls; fail_at++) {
      failing_allocator f = {.fail_at = fail_at};
      const cpb_allocator a = failing_allocator_of(&f);
      cpb_buffer out;
      cpb_buffer_init(&out, &a);
      const bool done = cpb_link_path(links, 0, &out);
      assert_int_equal(done, f.calls < fail_at);
      calls = f.calls;
      cpb_buffer_free(&out);
      assert_int_equal(f.blocks, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paths_are_whole_or_cut_between_characters),
      cmocka_unit_test(a_node_may_have_no_path),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

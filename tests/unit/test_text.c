/* Messages from text, without memory and at their limits. What texts say is compared with protobuf's own parser in
 * tests/model/test_text.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cpb/message.h"
#include "failing_allocator.h"

static cpb_schema *builtin;
static const cpb_message_type *graph;

static int make_types(void **state) {
  (void)state;
  builtin = cpb_schema_new_builtin(NULL, NULL);
  graph = cpb_schema_find_message(builtin, "tensorflow.GraphDef");
  return graph == NULL;
}

static int free_types(void **state) {
  (void)state;
  cpb_schema_free(builtin);
  return 0;
}

static const char TEXT[] =
    "node: [{ name: 'first' 'second' attr { key: 'T' value { list { i: [1, 2] i: 3 } } } }] versions { producer: 5 }";

static void every_failing_allocation_is_an_error(void **state) {
  (void)state;
  size_t wanted, size;
  uint8_t *message = cpb_message_from_text(graph, TEXT, strlen(TEXT), NULL, &wanted, NULL);
  assert_non_null(message);
  for (size_t n = 1;; n++) {
    failing_allocator f = {.fail_at = n};
    cpb_allocator a = failing_allocator_of(&f);
    const cpb_text_options how = {.struct_size = sizeof how, .allocator = &a};
    cpb_error error;
    uint8_t *made = cpb_message_from_text(graph, TEXT, strlen(TEXT), &how, &size, &error);
    if (made) {
      assert_true(n > 5 && size == wanted && memcmp(made, message, size) == 0);
      failing_release(&f, made);
      assert_int_equal(f.blocks, 0);
      break;
    }
    assert_int_equal(error.code, CPB_E_MEMORY);
    assert_int_equal(f.blocks, 0);
  }
  free(message);
}

static cpb_code code_of(const cpb_limits *limits) {
  const cpb_text_options how = {.struct_size = sizeof how, .limits = limits, .keep_damaged = 1};
  cpb_error error;
  size_t size;
  free(cpb_message_from_text(graph, TEXT, strlen(TEXT), &how, &size, &error));
  return error.code;
}

static void limits_hold(void **state) {
  (void)state;
  assert_int_equal(code_of(&(cpb_limits){.struct_size = sizeof(cpb_limits), .depth = 4}), CPB_E_LIMIT);
  assert_int_equal(code_of(&(cpb_limits){.struct_size = sizeof(cpb_limits), .depth = 5}), CPB_OK);
  assert_int_equal(code_of(&(cpb_limits){.struct_size = sizeof(cpb_limits), .held = 1, .held_per_byte = 1}),
                   CPB_E_LIMIT);
}

static void an_empty_text_is_an_empty_message(void **state) {
  (void)state;
  size_t size = 1;
  uint8_t *message = cpb_message_from_text(graph, "", 0, NULL, &size, NULL);
  assert_non_null(message);
  assert_int_equal(size, 0);
  free(message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failing_allocation_is_an_error),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(an_empty_text_is_an_empty_message),
  };
  return cmocka_run_group_tests(tests, make_types, free_types);
}

/* What the names of other files mean: the table of JavaScript's test, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/file_name.h"
#include "base/json_read.h"
#include "cpb/file.h"

#define TABLE CPB_TEST_DATA "/names.json"

static void holds(cpb_span name, yyjson_val *file) {
  char *out = malloc(name.size + 1); /* with nothing behind it */
  const bool stays = cpb_file_name_normalize(name, out);
  if (stays != yyjson_is_str(file)) fail_msg("%.*s", (int)name.size, (const char *)name.data);
  if (stays) assert_string_equal(out, yyjson_get_str(file));
  free(out);
}

static void names_are_as_in_the_table(void **state) {
  (void)state;
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  size_t size, i, count;
  cpb_error error;
  cpb_file *table = cpb_file_open(&a, TABLE, &error);
  assert_non_null(table);
  uint8_t *text = cpb_file_read_all(table, 1 << 20, &size, &error);
  yyjson_doc *doc = cpb_json_read(&a, (cpb_span){text, size}, 10, &error);
  yyjson_val *row;
  assert_true(yyjson_arr_size(yyjson_doc_get_root(doc)) > 40);
  yyjson_arr_foreach(yyjson_doc_get_root(doc), i, count, row) {
    cpb_span name;
    assert_true(cpb_json_text(cpb_json_member(row, "name"), &name));
    holds(name, cpb_json_member(row, "file"));
  }
  yyjson_doc_free(doc);
  cpb_release(&a, text);
  cpb_file_close(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_are_as_in_the_table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

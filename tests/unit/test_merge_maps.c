/* What merging means where a field tag names a map's entry by its key. The wanted bytes are
 * written by hand, as in test_merge.c. */
#include "merge_case.h"

static merge_case the_case;

static merge_case *begin(void) {
  merge_case_init(&the_case);
  return &the_case;
}

static void a_map_entry_is_found_by_its_key(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x2a\x05\x0a\x01"
                                   "a\x12\x00\x2a\x05\x0a\x01"
                                   "b\x12\x00"));
  add_node(c, root, "5[\"b\"].1", BYTES(c, "x"));
  EXPECT(c,
         "\x2a\x05\x0a\x01"
         "a\x12\x00\x2a\x08\x0a\x01"
         "b\x12\x03\x0a\x01x");
}

static void map_keys_are_numbers_of_any_size(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root =
      add_node(c, CPB_NO_NODE, "",
               MESSAGE(c, "\x2a\x0e\x08\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x01o\x2a\x04\x08\x05\x12\x00"));
  add_node(c, root, "5[#-5]", BYTES(c, "new"));
  EXPECT(c, "\x2a\x10\x08\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x03new\x2a\x04\x08\x05\x12\x00");
}

static void an_absent_map_entry_is_created_with_its_key(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x2a\x05\x0a\x01"
                                   "a\x12\x00\x30\x01"));
  add_node(c, root, "5[\"key\"].1", BYTES(c, "x"));
  add_node(c, root, "7[true]", MESSAGE(c, "\x0a\x00"));
  EXPECT(c,
         "\x2a\x05\x0a\x01"
         "a\x12\x00\x2a\x0a\x0a\x03key\x12\x03\x0a\x01x\x30\x01\x3a\x06\x08\x01\x12\x02\x0a\x00");
}

static void a_key_that_stands_behind_its_value_is_found(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x2a\x07\x12\x02\x12\x00\x0a\x01k"));
  add_node(c, root, "5[\"k\"].2", BYTES(c, "v"));
  EXPECT(c, "\x2a\x08\x12\x03\x12\x01v\x0a\x01k");
}

/* The elements of its value are counted anew. */
static void an_element_of_an_entry_that_comes_again_is_found(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x2a\x0a\x0a\x01"
                                   "a\x12\x05\x12\x00\x12\x01y\x2a\x0a\x0a\x01"
                                   "a\x12\x05\x12\x00\x12\x01y"));
  add_node(c, root, "5[\"a\"].2[0]", BYTES(c, "x"));
  EXPECT(c,
         "\x2a\x0a\x0a\x01"
         "a\x12\x05\x12\x00\x12\x01y\x2a\x0b\x0a\x01"
         "a\x12\x06\x12\x01x\x12\x01y");
}

static void an_entry_without_a_key_has_the_default_key(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x2a\x02\x12\x00\x32\x02\x12\x00"));
  add_node(c, root, "5[#0].2", BYTES(c, "n"));
  add_node(c, root, "6[\"\"].2", BYTES(c, "s"));
  EXPECT(c, "\x2a\x05\x12\x03\x12\x01n\x32\x05\x12\x03\x12\x01s");
}

static void the_last_of_two_entries_with_one_key_counts(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root =
      add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x2a\x05\x0a\x01k\x12\x00\x2a\x08\x0a\x01k\x12\x03\x0a\x01o"));
  add_node(c, root, "5[\"k\"].2", BYTES(c, "v"));
  EXPECT(c, "\x2a\x05\x0a\x01k\x12\x00\x2a\x0b\x0a\x01k\x12\x06\x0a\x01o\x12\x01v");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_map_entry_is_found_by_its_key),
      cmocka_unit_test(map_keys_are_numbers_of_any_size),
      cmocka_unit_test(an_absent_map_entry_is_created_with_its_key),
      cmocka_unit_test(a_key_that_stands_behind_its_value_is_found),
      cmocka_unit_test(an_element_of_an_entry_that_comes_again_is_found),
      cmocka_unit_test(an_entry_without_a_key_has_the_default_key),
      cmocka_unit_test(the_last_of_two_entries_with_one_key_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

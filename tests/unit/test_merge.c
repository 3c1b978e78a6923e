/* What merging means, case by case. The wanted bytes are written by hand from
 * the protobuf encoding: "\x0a\x01x" is field 1 with the value "x". */
#include "cpb/message.h"
#include "failing_allocator.h"
#include "merge_case.h"

static merge_case the_case;

static merge_case *begin(void) {
  merge_case_init(&the_case);
  return &the_case;
}

/* --- Where chunks go ------------------------------------------------------ */

static void fields_make_the_message_without_a_root_chunk(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  add_node(c, root, "3", BYTES(c, "late"));
  add_node(c, root, "1", MESSAGE(c, "\x0a\x01x"));
  EXPECT(c, "\x0a\x03\x0a\x01x\x1a\x04late");
}

static void an_empty_index_is_the_empty_message(void **state) {
  (void)state;
  merge_case *c = begin();
  add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  EXPECT(c, "");
}

static void a_created_field_goes_where_its_number_belongs(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x05\x1a\x01z"));
  add_node(c, root, "2.4", BYTES(c, "b"));
  EXPECT(c,
         "\x08\x05\x12\x03\x22\x01"
         "b\x1a\x01z");
}

static void a_created_field_comes_after_all_of_its_number_even_out_of_order(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x12\x01"
                                   "a\x1a\x01z\x12\x01"
                                   "b"));
  add_node(c, root, "2[2]", BYTES(c, "c"));
  EXPECT(c,
         "\x12\x01"
         "a\x1a\x01z\x12\x01"
         "b\x12\x01"
         "c");
}

static void lengths_of_all_parents_grow(void **state) {
  (void)state;
  char value[200], wanted[209] = "\x0a\xce\x01\x12\xcb\x01\x1a\xc8\x01";
  memset(value, 'v', sizeof value);
  memset(wanted + 9, 'v', sizeof value);
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x02\x12\x00"));
  add_node(c, root, "1.2.3", add_chunk(c, CPB_CHUNK_BYTES, value, sizeof value));
  expect_bytes(c, NULL, wanted, sizeof wanted);
}

static void slices_of_one_field_go_before_higher_numbers(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x0a\x01"
                                   "a\x12\x01z"));
  add_node(c, root, "",
           MESSAGE(c,
                   "\x0a\x01"
                   "b\x0a\x01"
                   "c"));
  add_node(c, root, "",
           MESSAGE(c,
                   "\x0a\x01"
                   "d"));
  EXPECT(c,
         "\x0a\x01"
         "a\x0a\x01"
         "b\x0a\x01"
         "c\x0a\x01"
         "d\x12\x01z");
}

static void a_slice_of_several_fields_is_appended(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x0a\x01"
                                   "a\x12\x01z"));
  add_node(c, root, "",
           MESSAGE(c,
                   "\x0a\x01"
                   "b\x12\x01y"));
  add_node(c, root, "",
           MESSAGE(c,
                   "\x0a\x01"
                   "c"));
  EXPECT(c,
         "\x0a\x01"
         "a\x12\x01z\x0a\x01"
         "b\x0a\x01"
         "c\x12\x01y");
}

static void order_is_by_tag_then_chunk_whatever_the_file_says(void **state) {
  (void)state;
  merge_case *c = begin();
  uint64_t base = MESSAGE(c, ""),
           one = MESSAGE(c,
                         "\x0a\x01"
                         "1"),
           two = MESSAGE(c,
                         "\x0a\x01"
                         "2");
  uint64_t deep = BYTES(c, "x"), whole = MESSAGE(c, "\x0a\x00");
  uint32_t root = add_node(c, CPB_NO_NODE, "", base);
  add_node(c, root, "2.3", deep);
  add_node(c, root, "", two);
  add_node(c, root, "2", whole);
  add_node(c, root, "", one);
  EXPECT(c,
         "\x0a\x01"
         "1\x0a\x01"
         "2\x12\x05\x0a\x00\x1a\x01x");
}

static void elements_are_counted_over_all_slices(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x00\x0a\x00"));
  add_node(c, root, "", MESSAGE(c, "\x0a\x00\x0a\x02\x12\x00"));
  add_node(c, root, "1[3].2", BYTES(c, "x"));
  add_node(c, root, "1[1].2", BYTES(c, "y"));
  EXPECT(c, "\x0a\x00\x0a\x03\x12\x01y\x0a\x00\x0a\x03\x12\x01x");
}

static void an_index_at_the_end_appends_and_one_beyond_is_refused(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x00"));
  add_node(c, root, "1[2]", MESSAGE(c, "\x12\x00"));
  add_node(c, root, "1[1]", MESSAGE(c, "\x1a\x00"));
  EXPECT(c, "\x0a\x00\x0a\x02\x1a\x00\x0a\x02\x12\x00");
  c = begin();
  root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x00"));
  add_node(c, root, "1[2]", MESSAGE(c, "\x12\x00"));
  EXPECT_ERROR(c, CPB_E_DAMAGED, "element 2 of field 1, which has only 1");
}

static void bytes_are_set_and_the_highest_chunk_wins(void **state) {
  (void)state;
  merge_case *c = begin();
  uint64_t first = BYTES(c, "first"), second = BYTES(c, "second");
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x01\x1a\x03old\x20\x02"));
  add_node(c, root, "3", second);
  add_node(c, root, "3", first);
  EXPECT(c, "\x08\x01\x1a\x06second\x20\x02");
}

static void messages_come_after_bytes_that_were_set_before(void **state) {
  (void)state;
  merge_case *c = begin();
  uint64_t bytes = BYTES(c, "\x10\x02"), one = MESSAGE(c, "\x08\x01"), two = MESSAGE(c, "\x18\x03");
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  add_node(c, root, "5", two);
  add_node(c, root, "5", bytes);
  add_node(c, root, "5", one);
  EXPECT(c, "\x2a\x06\x10\x02\x08\x01\x18\x03");
}

static void elements_of_repeated_strings_are_set(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x22\x01"
                                   "a\x22\x01"
                                   "b"));
  add_node(c, root, "4[0]", BYTES(c, "new"));
  EXPECT(c,
         "\x22\x03new\x22\x01"
         "b");
}

static void messages_are_merged_with_what_is_there(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x0a\x03\x12\x01"
                                   "a\x1a\x00"));
  add_node(c, root, "1",
           MESSAGE(c,
                   "\x12\x01"
                   "b"));
  EXPECT(c,
         "\x0a\x06\x12\x01"
         "a\x12\x01"
         "b\x1a\x00");
}

static void a_message_on_the_wire_in_two_pieces_is_one_message(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x0a\x03\x12\x01"
                                   "a\x1a\x00\x0a\x03\x12\x01"
                                   "b"));
  add_node(c, root, "1.2[1]", BYTES(c, "B"));
  EXPECT(c,
         "\x0a\x06\x12\x01"
         "a\x12\x01"
         "B\x1a\x00");
}

static void a_field_that_repeats_gets_one_more_without_a_schema(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x12\x01"
                                   "a\x12\x01"
                                   "b\x18\x01"));
  add_node(c, root, "2", BYTES(c, "c"));
  EXPECT(c,
         "\x12\x01"
         "a\x12\x01"
         "b\x12\x01"
         "c\x18\x01");
}

static void one_chunk_may_be_used_twice(void **state) {
  (void)state;
  merge_case *c = begin();
  uint64_t twice = MESSAGE(c, "\x0a\x01x");
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  add_node(c, root, "1", twice);
  add_node(c, root, "2", twice);
  add_node(c, root, "2", twice);
  EXPECT(c, "\x0a\x03\x0a\x01x\x12\x06\x0a\x01x\x0a\x01x");
}

/* --- Trees ---------------------------------------------------------------- */

static void nested_fields_are_relative_to_their_field(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x00"));
  uint32_t child = add_node(c, root, "1",
                            MESSAGE(c,
                                    "\x12\x01"
                                    "m"));
  add_node(c, child, "3", BYTES(c, "s"));
  uint32_t empty = add_node(c, child, "4", CPB_NO_CHUNK);
  add_node(c, empty, "1", BYTES(c, "t"));
  EXPECT(c,
         "\x0a\x0b\x12\x01"
         "m\x1a\x01s\x22\x03\x0a\x01t");
}

static void fields_nested_in_a_slice_belong_to_the_parent(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x01x"));
  uint32_t slice = add_node(c, root, "", MESSAGE(c, "\x12\x00"));
  add_node(c, slice, "2.1", BYTES(c, "y"));
  EXPECT(c, "\x0a\x01x\x12\x03\x0a\x01y");
}

static void nested_chunks_come_before_the_next_chunk_of_the_field(void **state) {
  (void)state;
  merge_case *c = begin();
  uint64_t first = MESSAGE(c, ""), nested = BYTES(c, "n"), second = MESSAGE(c, "\x12\x01s");
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  uint32_t child = add_node(c, root, "1", first);
  add_node(c, child, "2[0]", nested);
  add_node(c, root, "1", second);
  EXPECT(c, "\x0a\x06\x12\x01n\x12\x01s");
}

static void a_field_without_chunk_is_made_to_be_there(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x18\x01"));
  add_node(c, root, "1", CPB_NO_CHUNK);
  EXPECT(c, "\x0a\x00\x18\x01");
}

static void a_field_without_chunk_takes_chunk_0_if_that_holds_bytes(void **state) {
  (void)state;
  merge_case *c = begin();
  BYTES(c, "zero");
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  add_node(c, root, "1", CPB_NO_CHUNK);
  EXPECT(c, "\x0a\x04zero");
}

/* --- Errors --------------------------------------------------------------- */

static void a_chunk_that_is_not_there_is_named(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, ""));
  add_node(c, root, "1", 7);
  EXPECT_ERROR(c, CPB_E_DAMAGED, "chunk_index of chunked field 1 is 7; expected less than 1");
}

static void a_chunk_that_is_no_message_is_named(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x05xx"));
  add_node(c, root, "1", MESSAGE(c, ""));
  EXPECT_ERROR(c, CPB_E_DAMAGED, "chunk 0: ");
}

static void tags_that_make_no_sense_are_refused(void **state) {
  (void)state;
  const char *tags[] = {"[0]", "[\"k\"]", "1[0][1]", "0", "536870912", "1[\"k\"][0]"};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    merge_case *c = begin();
    uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
    add_node(c, root, tags[i], MESSAGE(c, ""));
    EXPECT_ERROR(c, CPB_E_DAMAGED, "field tag of chunked field 1");
  }
}

static void a_field_named_in_two_ways_is_refused(void **state) {
  (void)state;
  const char *pairs[][2] = {{"2[0]", "2[\"a\"]"}, {"2[0].1", "2.1"}, {"2[0]", "2"}};
  for (size_t i = 0; i < 3; i++) {
    merge_case *c = begin();
    uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
    add_node(c, root, pairs[i][0], MESSAGE(c, ""));
    add_node(c, root, pairs[i][1], MESSAGE(c, ""));
    EXPECT_ERROR(c, CPB_E_DAMAGED, "");
  }
}

static void the_field_in_the_parent_must_fit_the_tag(void **state) {
  (void)state;
  static const struct {
    const char *parent, *tag;
    cpb_code code;
    const char *part;
  } cases[] = {
      {"\x0b\x0c", "1", CPB_E_UNSUPPORTED, "leads into a group, which is not supported"},
      {"\x0b\x0c", "1.2", CPB_E_UNSUPPORTED, "leads into a group, which is not supported"},
      {"\x08\x05", "1.2", CPB_E_DAMAGED, "a number where the field tag leads into a message"},
      {"\x0d"
       "abcd",
       "1.2.3", CPB_E_DAMAGED, "a number where the field tag leads into a message"},
      {"\x08\x05", "1[0]", CPB_E_UNSUPPORTED, "leads to an element of a repeated number"},
      {"\x08\x05", "1[\"k\"]", CPB_E_DAMAGED, "a number where the field tag leads into a map entry"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    merge_case *c = begin();
    uint32_t root = add_node(c, CPB_NO_NODE, "", add_message(c, cases[i].parent, strlen(cases[i].parent)));
    add_node(c, root, cases[i].tag, BYTES(c, "v"));
    EXPECT_ERROR(c, cases[i].code, cases[i].part);
  }
}

static void a_number_needs_the_schema(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x05"));
  add_node(c, root, "1", BYTES(c, "7"));
  EXPECT_ERROR(c, CPB_E_UNSUPPORTED, "setting it needs the schema of the message");
}

static void the_plan_has_a_limit(void **state) {
  (void)state;
  merge_case *c = begin();
  cpb_merge_options options = {.struct_size = sizeof options, .plan_items = 10};
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  uint64_t chunk = BYTES(c, "x");
  for (int i = 0; i < 12; i++) {
    char tag[16];
    cpb_format(tag, sizeof tag, "1[%d]", i);
    add_node(c, root, tag, chunk);
  }
  expect_error(c, &options, CPB_E_LIMIT, "limit `entries`: at least 11 entries");
}

static void a_merged_size_beyond_63_bits_is_a_limit(void **state) {
  (void)state;
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK);
  uint64_t chunk = BYTES(c, "x");
  c->chunks[chunk].size = (size_t)(SIZE_MAX / 2); /* only its size is looked at */
  for (int i = 0; i < 3; i++) {
    char tag[16];
    cpb_format(tag, sizeof tag, "1[%d]", i);
    add_node(c, root, tag, chunk);
  }
  if (sizeof(size_t) == 8) expect_error(c, NULL, CPB_E_LIMIT, "2^63");
  else merge_case_free(c);
}

/* --- With a schema -------------------------------------------------------- */

/* Merges chunk `text` at `tag` of a built-in type and expects the bytes. */
static void with_type(const char *type, const char *base, size_t base_size, const char *tag, const char *text,
                      const char *wanted, size_t size) {
  cpb_error error = {0};
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *t = cpb_schema_find_message(schema, type);
  assert_non_null(t);
  merge_case *c = begin();
  uint32_t root = add_node(c, CPB_NO_NODE, "", add_message(c, base, base_size));
  add_node(c, root, tag, add_chunk(c, CPB_CHUNK_BYTES, text, strlen(text)));
  if (wanted != NULL) {
    expect_bytes(c, t, wanted, size);
  } else {
    cpb_merge_options options = {.struct_size = sizeof options, .type = t};
    expect_error(c, &options, CPB_E_DAMAGED, "field");
  }
  cpb_schema_free(schema);
}
#define TYPED(type, base, tag, text, wanted) \
  with_type("tensorflow." type, base, sizeof(base) - 1, tag, text, wanted, sizeof(wanted) - 1)
#define TYPED_ERROR(type, base, tag, text) with_type("tensorflow." type, base, sizeof(base) - 1, tag, text, NULL, 0)

static void numbers_are_read_as_text(void **state) {
  (void)state;
  TYPED("AttrValue", "", "3", "-5", "\x18\xfb\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  TYPED("AttrValue", "", "3", " 12abc", "\x18\x0c");
  TYPED("AttrValue", "\x18\x07", "3", "9223372036854775807", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\x7f");
  TYPED("AttrValue", "", "4", "1.5e3", "\x25\x00\x80\xbb\x44");
  TYPED("AttrValue", "", "5", "true", "\x28\x01");
  TYPED("AttrValue", "", "6", "DT_INT32", "\x30\x03");
  TYPED_ERROR("AttrValue", "", "3", "9223372036854775808");
  TYPED_ERROR("AttrValue", "", "3", "x");
  TYPED_ERROR("AttrValue", "", "4", "1e99");
  TYPED_ERROR("AttrValue", "", "6", "NOPE");
}

static void a_member_of_a_oneof_replaces_the_others(void **state) {
  (void)state;
  TYPED("AttrValue", "\x18\x05", "2", "s", "\x12\x01s");
}

static void a_repeated_field_without_index_grows_if_a_schema_names_it(void **state) {
  (void)state;
  TYPED("NodeDef",
        "\x1a\x01"
        "a",
        "3", "b",
        "\x1a\x01"
        "a\x1a\x01"
        "b"); /* repeated string input */
}

static void fields_that_the_type_does_not_have_are_refused(void **state) {
  (void)state;
  TYPED_ERROR("NodeDef", "", "99", "x");
  TYPED_ERROR("NodeDef", "", "1.1", "x");
  TYPED_ERROR("NodeDef", "", "1[0]", "x");
  TYPED_ERROR("NodeDef", "", "5", "x");
  TYPED_ERROR("GraphDef", "", "1.1", "x");
}

/* --- Memory --------------------------------------------------------------- */

static void build_busy_case(merge_case *c) {
  uint32_t root = add_node(c, CPB_NO_NODE, "",
                           MESSAGE(c,
                                   "\x0a\x00\x0a\x02\x12\x00\x2a\x05\x0a\x01"
                                   "a\x12\x00\x18\x01"));
  add_node(c, root, "", MESSAGE(c, "\x0a\x00"));
  uint32_t child = add_node(c, root, "1[1].2", MESSAGE(c, "\x0a\x01x"));
  add_node(c, child, "4", BYTES(c, "y"));
  add_node(c, root, "1[3]", MESSAGE(c, "\x0a\x01z"));
  add_node(c, root, "5[\"a\"].9", BYTES(c, "v"));
  add_node(c, root, "5[\"new\"].9", BYTES(c, "w"));
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  cpb_allocator plain = cpb_allocator_or_default(NULL);
  for (int for_ever = 0; for_ever < 2; for_ever++) {
    size_t n = 0;
    cpb_code code;
    do {
      failing_allocator f = {.fail_at = ++n, .for_ever = for_ever != 0};
      cpb_allocator a = failing_allocator_of(&f);
      merge_case *c = begin();
      build_busy_case(c);
      cpb_buffer out;
      cpb_error error;
      cpb_buffer_init(&out, &plain);
      code = merge_with(c, &a, NULL, &out, &error);
      assert_true(code == CPB_E_MEMORY || (code == CPB_OK && f.calls < n));
      assert_int_equal(f.blocks, 0);
      cpb_buffer_free(&out);
      merge_case_free(c);
    } while (code != CPB_OK);
    assert_true(n > 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_make_the_message_without_a_root_chunk),
      cmocka_unit_test(an_empty_index_is_the_empty_message),
      cmocka_unit_test(a_created_field_goes_where_its_number_belongs),
      cmocka_unit_test(a_created_field_comes_after_all_of_its_number_even_out_of_order),
      cmocka_unit_test(lengths_of_all_parents_grow),
      cmocka_unit_test(slices_of_one_field_go_before_higher_numbers),
      cmocka_unit_test(a_slice_of_several_fields_is_appended),
      cmocka_unit_test(order_is_by_tag_then_chunk_whatever_the_file_says),
      cmocka_unit_test(elements_are_counted_over_all_slices),
      cmocka_unit_test(an_index_at_the_end_appends_and_one_beyond_is_refused),
      cmocka_unit_test(bytes_are_set_and_the_highest_chunk_wins),
      cmocka_unit_test(messages_come_after_bytes_that_were_set_before),
      cmocka_unit_test(elements_of_repeated_strings_are_set),
      cmocka_unit_test(messages_are_merged_with_what_is_there),
      cmocka_unit_test(a_message_on_the_wire_in_two_pieces_is_one_message),
      cmocka_unit_test(a_field_that_repeats_gets_one_more_without_a_schema),
      cmocka_unit_test(one_chunk_may_be_used_twice),
      cmocka_unit_test(nested_fields_are_relative_to_their_field),
      cmocka_unit_test(fields_nested_in_a_slice_belong_to_the_parent),
      cmocka_unit_test(nested_chunks_come_before_the_next_chunk_of_the_field),
      cmocka_unit_test(a_field_without_chunk_is_made_to_be_there),
      cmocka_unit_test(a_field_without_chunk_takes_chunk_0_if_that_holds_bytes),
      cmocka_unit_test(a_chunk_that_is_not_there_is_named),
      cmocka_unit_test(a_chunk_that_is_no_message_is_named),
      cmocka_unit_test(tags_that_make_no_sense_are_refused),
      cmocka_unit_test(a_field_named_in_two_ways_is_refused),
      cmocka_unit_test(the_field_in_the_parent_must_fit_the_tag),
      cmocka_unit_test(a_number_needs_the_schema),
      cmocka_unit_test(the_plan_has_a_limit),
      cmocka_unit_test(a_merged_size_beyond_63_bits_is_a_limit),
      cmocka_unit_test(numbers_are_read_as_text),
      cmocka_unit_test(a_member_of_a_oneof_replaces_the_others),
      cmocka_unit_test(a_repeated_field_without_index_grows_if_a_schema_names_it),
      cmocka_unit_test(fields_that_the_type_does_not_have_are_refused),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

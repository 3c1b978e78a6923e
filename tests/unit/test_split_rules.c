/* What the splitters move and what has to stay where it is. */
#include "split_help.h"

/* --- A schema of our own -------------------------------------------------- */

/* FieldDescriptorProto: label 1 optional, 2 required, 3 repeated. */
static bytes field(const char *name, uint32_t number, unsigned label, unsigned type, const char *type_name, int oneof) {
  bytes f = {NULL, 0};
  put_text(&f, 1, name);
  put_int(&f, 3, number);
  put_int(&f, 4, label);
  put_int(&f, 5, type);
  if (type_name != NULL) put_text(&f, 6, type_name);
  if (oneof >= 0) put_int(&f, 9, (uint64_t)oneof);
  return f;
}

static bytes map_entry(const char *name, unsigned key_type, const char *value) {
  bytes m = {NULL, 0}, options = {NULL, 0};
  put_text(&m, 1, name);
  put_message(&m, 2, field("key", 1, 1, key_type, NULL, -1));
  put_message(&m, 2, field("value", 2, 1, 11, value, -1));
  put_int(&options, 7, 1);
  put_message(&m, 7, options);
  return m;
}

/* message M { M child = 1; repeated M children = 2; bytes data = 3;
 *   oneof { bytes a = 4; M b = 5; } map<string, M> named = 6;
 *   map<uint64, M> numbered = 7; R strict = 8; repeated bytes list = 9;
 *   group M group = 10; }
 * message R { required int32 id = 1; repeated M parts = 2; } */
static cpb_schema *own_schema(void) {
  bytes m = {NULL, 0}, r = {NULL, 0}, oneof = {NULL, 0}, file = {NULL, 0}, set = {NULL, 0};
  put_text(&m, 1, "M");
  put_message(&m, 2, field("child", 1, 1, 11, ".t.M", -1));
  put_message(&m, 2, field("children", 2, 3, 11, ".t.M", -1));
  put_message(&m, 2, field("data", 3, 1, 12, NULL, -1));
  put_message(&m, 2, field("a", 4, 1, 12, NULL, 0));
  put_message(&m, 2, field("b", 5, 1, 11, ".t.M", 0));
  put_message(&m, 2, field("named", 6, 3, 11, ".t.M.NamedEntry", -1));
  put_message(&m, 2, field("numbered", 7, 3, 11, ".t.M.NumberedEntry", -1));
  put_message(&m, 2, field("strict", 8, 1, 11, ".t.R", -1));
  put_message(&m, 2, field("list", 9, 3, 12, NULL, -1));
  put_message(&m, 2, field("group", 10, 1, 10, ".t.M", -1));
  put_message(&m, 3, map_entry("NamedEntry", 9, ".t.M"));
  put_message(&m, 3, map_entry("NumberedEntry", 4, ".t.M"));
  put_text(&oneof, 1, "choice");
  put_message(&m, 8, oneof);
  put_text(&r, 1, "R");
  put_message(&r, 2, field("id", 1, 2, 5, NULL, -1));
  put_message(&r, 2, field("parts", 2, 3, 11, ".t.M", -1));
  put_text(&file, 1, "t.proto");
  put_text(&file, 2, "t");
  put_message(&file, 4, m);
  put_message(&file, 4, r);
  put_message(&set, 1, file);
  cpb_error error = {0};
  cpb_schema *schema = cpb_schema_new(NULL, set.data, set.size, NULL, &error);
  if (schema == NULL) fail_msg("%s", error.message);
  free(set.data);
  return schema;
}

static int set_up(void **state) {
  *state = own_schema();
  return 0;
}

static int tear_down(void **state) {
  cpb_schema_free(*state);
  return 0;
}

/* Splits a message M and checks that a merge gives its bytes back. */
static split_file split_own(void **state, bytes *message, const cpb_splitter *splitter) {
  cpb_split_options options = {.struct_size = sizeof options,
                               .type_name = "t.M",
                               .schema = *state,
                               .max_chunk_size = 100,
                               .splitters = splitter,
                               .num_splitters = splitter != NULL,
                               .seekable = 1};
  split_file f = split_with(&options, *message, 0);
  assert_int_equal(f.code, CPB_OK);
  bytes back = merged(&f);
  assert_int_equal(back.size, message->size);
  assert_memory_equal(back.data, message->data, back.size);
  free(back.data);
  free(message->data);
  return f;
}

static bytes data_of(size_t size) {
  bytes m = {NULL, 0};
  put_message(&m, 3, noise(size, 1));
  return m;
}

static void expect_chunk(const split_file *f, const char *tag, uint32_t type, size_t size) {
  size_t i = chunk_at(f, tag);
  if (i == f->num_chunks) fail_msg("no chunk at %s", tag);
  assert_int_equal(cpb_metadata_chunk(&f->index, i).type, type);
  assert_int_equal(f->chunks[i].size, size);
}

static void expect_no_chunk(const split_file *f, const char *tag) {
  if (chunk_at(f, tag) < f->num_chunks) fail_msg("there is a chunk at %s", tag);
}

/* --- The generic rule ----------------------------------------------------- */

static void a_large_value_moves_out_of_where_it_is_nested(void **state) {
  bytes inner = data_of(500), outer = {NULL, 0}, m = {NULL, 0};
  put_message(&outer, 1, inner);
  put_message(&m, 2, data_of(10));
  put_message(&m, 2, outer);
  split_file f = split_own(state, &m, NULL);
  assert_int_equal(f.num_chunks, 2);
  expect_chunk(&f, "2[1] 1 3", CPB_CHUNK_BYTES, 500);
  free_split(&f);
}

static void a_large_message_becomes_a_chunk_and_slices_of_it(void **state) {
  bytes child = {NULL, 0}, m = {NULL, 0};
  for (int i = 0; i < 5; i++) put_message(&child, 2, data_of(60));
  put_message(&m, 1, child);
  put_message(&m, 3, noise(20, 2));
  split_file f = split_own(state, &m, NULL);
  assert_int_equal(f.num_chunks, 6); /* the root and five times one of 64 bytes */
  expect_chunk(&f, "1", CPB_CHUNK_MESSAGE, 64);
  const uint32_t child_node = cpb_metadata_first_child(&f.index, 0);
  for (uint32_t n = cpb_metadata_first_child(&f.index, child_node); n != CPB_NO_NODE;
       n = cpb_metadata_next(&f.index, n)) {
    assert_int_equal(cpb_metadata_node(&f.index, n).num_tags, 0);
  }
  free_split(&f);
}

static void earlier_cuts_hang_under_the_message_that_moves_later(void **state) {
  bytes child = {NULL, 0}, m = {NULL, 0};
  put_message(&child, 2, data_of(300)); /* moves out while `child` is in place */
  for (int i = 0; i < 3; i++) put_message(&child, 2, data_of(60));
  put_message(&m, 1, child);
  split_file f = split_own(state, &m, NULL);
  expect_chunk(&f, "2[0] 3", CPB_CHUNK_BYTES, 300); /* relative to `child` */
  expect_chunk(&f, "1", CPB_CHUNK_MESSAGE, 4 + 64);
  free_split(&f);
}

static bytes named(const char *key, size_t size) {
  bytes entry = {NULL, 0};
  put_text(&entry, 1, key);
  put_message(&entry, 2, data_of(size));
  return entry;
}

static void map_values_are_found_by_key(void **state) {
  bytes m = {NULL, 0}, entry = {NULL, 0};
  put_message(&m, 6, named("first", 200));
  put_message(&m, 6, named("", 300));
  put_int(&entry, 1, 77);
  put_message(&entry, 2, data_of(400));
  put_message(&m, 7, entry);
  split_file f = split_own(state, &m, NULL);
  expect_chunk(&f, "6{first} 3", CPB_CHUNK_BYTES, 200);
  expect_chunk(&f, "6{} 3", CPB_CHUNK_BYTES, 300);
  expect_chunk(&f, "7{77} 3", CPB_CHUNK_BYTES, 400);
  free_split(&f);
}

/* --- What has to stay ------------------------------------------------------ */

static void a_key_that_no_merger_could_find_keeps_its_value(void **state) {
  bytes m = {NULL, 0}, entry = {NULL, 0}, swapped = {NULL, 0}, twice = {NULL, 0};
  put_message(&swapped, 2, data_of(400));
  put_text(&swapped, 1, "key after value");
  put_message(&m, 6, swapped);
  put_text(&twice, 1, "two values");
  put_message(&twice, 2, data_of(400));
  put_message(&twice, 2, data_of(1));
  put_message(&m, 6, twice);
  put_int(&entry, 1, UINT64_C(1) << 40); /* TensorFlow's merger has keys of 32 bits */
  put_message(&entry, 2, data_of(400));
  put_message(&m, 7, entry);
  split_file f = split_own(state, &m, NULL);
  for (size_t i = 0; i < f.num_chunks; i++) assert_int_equal(cpb_metadata_chunk(&f.index, i).type, CPB_CHUNK_MESSAGE);
  free_split(&f);
}

static void the_first_of_two_values_under_one_key_is_not_cut(void **state) {
  bytes m = {NULL, 0};
  put_message(&m, 6, named("k", 200));
  put_message(&m, 6, named("other", 200));
  put_message(&m, 6, named("k", 10));
  split_file f = split_own(state, &m, NULL);
  expect_no_chunk(&f, "6{k} 3");
  expect_chunk(&f, "6{other} 3", CPB_CHUNK_BYTES, 200);
  free_split(&f);
}

static void the_last_of_two_values_under_one_key_may_be_cut(void **state) {
  bytes m = {NULL, 0};
  put_message(&m, 6, named("k", 10));
  put_message(&m, 6, named("k", 200));
  split_file f = split_own(state, &m, NULL);
  expect_chunk(&f, "6{k} 3", CPB_CHUNK_BYTES, 200);
  free_split(&f);
}

static void a_singular_message_that_occurs_twice_is_not_cut(void **state) {
  bytes m = {NULL, 0};
  put_message(&m, 1, data_of(200));
  put_message(&m, 1, data_of(300));
  split_file f = split_own(state, &m, NULL);
  expect_no_chunk(&f, "1 3");
  expect_no_chunk(&f, "1");
  free_split(&f);
}

static void a_value_that_is_overwritten_does_not_move(void **state) {
  bytes m = data_of(200);
  put_message(&m, 3, noise(5, 3));
  split_file f = split_own(state, &m, NULL);
  expect_no_chunk(&f, "3");
  free_split(&f);
}

static void a_oneof_with_two_members_stays_whole(void **state) {
  bytes inner = {NULL, 0}, m = {NULL, 0};
  put_message(&inner, 5, data_of(200));
  put_bytes(&inner, 4, "last", 4);
  put_message(&m, 1, inner);
  put_message(&m, 2, data_of(200));
  split_file f = split_own(state, &m, NULL);
  expect_no_chunk(&f, "1 5 3");
  expect_no_chunk(&f, "1 5");
  expect_chunk(&f, "2[0] 3", CPB_CHUNK_BYTES, 200);
  free_split(&f);
}

static void a_message_with_required_fields_never_leaves_an_empty_place(void **state) {
  bytes strict = {NULL, 0}, m = {NULL, 0};
  put_int(&strict, 1, 5);
  for (int i = 0; i < 4; i++) put_message(&strict, 2, data_of(60));
  put_message(&strict, 2, data_of(500));
  put_message(&m, 8, strict);
  split_file f = split_own(state, &m, NULL);
  expect_no_chunk(&f, "8");
  expect_chunk(&f, "8 2[4] 3", CPB_CHUNK_BYTES, 500);
  free_split(&f);
}

static void groups_and_unknown_fields_stay(void **state) {
  bytes m = {NULL, 0};
  put_head(&m, 10, CPB_WIRE_START_GROUP);
  put_message(&m, 3, noise(200, 1));
  put_head(&m, 10, CPB_WIRE_END_GROUP);
  put_message(&m, 500, noise(200, 2));
  put_message(&m, 2, data_of(300));
  cpb_split_options options = {
      .struct_size = sizeof options, .type_name = "t.M", .schema = *state, .max_chunk_size = 100, .seekable = 1};
  split_file f = split_with(&options, m, 0);
  assert_int_equal(f.code, CPB_OK);
  assert_int_equal(f.num_chunks, 4); /* group, unknown field, children, data */
  expect_no_chunk(&f, "500");
  expect_chunk(&f, "2[0] 3", CPB_CHUNK_BYTES, 300);
  free_split(&f);
  free(m.data);
}

static void a_hundred_thousand_levels_are_not_followed(void **state) {
  enum { LEVELS = 100000 };
  bytes m = {NULL, 0};
  uint8_t *back = malloc(LEVELS * CPB_WIRE_HEADER_MAX);
  size_t begin = LEVELS * CPB_WIRE_HEADER_MAX, end = begin;
  for (int i = 0; i < LEVELS; i++) {
    size_t head = cpb_wire_len_size(1, end - begin);
    begin -= head;
    cpb_wire_put_len(back + begin, 1, end - begin - head);
  }
  put(&m, back + begin, end - begin);
  free(back);
  cpb_split_options options = {
      .struct_size = sizeof options, .type_name = "t.M", .schema = *state, .max_chunk_size = 100, .seekable = 1};
  split_file f = split_with(&options, m, 0);
  assert_int_equal(f.code, CPB_OK);
  assert_in_range(f.num_chunks, 2, 41);
  free_split(&f);
  free(m.data);
}

static void many_wrong_cuts_leave_the_message_whole(void **state) {
  bytes m = {NULL, 0};
  for (int i = 0; i < 100; i++) {
    bytes child = {NULL, 0};
    put_message(&child, 1, data_of(120));
    put_message(&child, 1, data_of(1));
    put_message(&m, 2, child);
  }
  split_file f = split_own(state, &m, NULL);
  assert_int_equal(f.num_chunks, 100); /* slices of the root only */
  free_split(&f);
}

/* --- TensorFlow's --------------------------------------------------------- */

static bytes tensor_node(bytes tensor) {
  bytes value = {NULL, 0}, attr = {NULL, 0}, node = {NULL, 0};
  put_message(&value, 8, tensor);
  put_text(&attr, 1, "value");
  put_message(&attr, 2, value);
  put_text(&node, 1, "const");
  put_message(&node, 5, attr);
  return node;
}

static split_file split_graph(bytes *graph, const cpb_splitter *splitter) {
  cpb_split_options options = {.struct_size = sizeof options,
                               .type_name = "tensorflow.GraphDef",
                               .splitters = splitter,
                               .num_splitters = splitter != NULL,
                               .seekable = 1};
  split_file f = split_with(&options, *graph, 0);
  assert_int_equal(f.code, CPB_OK);
  bytes back = merged(&f);
  assert_int_equal(back.size, graph->size);
  assert_memory_equal(back.data, graph->data, back.size);
  free(back.data);
  free(graph->data);
  return f;
}

static void large_payload_moves(void **state) {
  (void)state;
  bytes graph = {NULL, 0};
  static const size_t SIZES[] = {65000, 65536};
  for (size_t i = 0; i < 2; i++) {
    bytes tensor = {NULL, 0};
    put_message(&tensor, 4, noise(SIZES[i], 1));
    put_message(&graph, 1, tensor_node(tensor));
  }
  split_file f = split_graph(&graph, NULL);
  assert_int_equal(f.num_chunks, 2);
  expect_chunk(&f, "1[1] 5{value} 8 4", CPB_CHUNK_BYTES, 65536);
  free_split(&f);
}

static void typed_values_move_with_their_tensor(void **state) {
  (void)state;
  bytes graph = {NULL, 0}, tensor = {NULL, 0};
  put_int(&tensor, 1, 1);
  put_message(&tensor, 5, noise(80000, 1)); /* float_val, packed */
  size_t size = tensor.size;
  put_message(&graph, 1, tensor_node(tensor));
  split_file f = split_graph(&graph, NULL);
  assert_int_equal(f.num_chunks, 2);
  expect_chunk(&f, "1[0] 5{value} 8", CPB_CHUNK_MESSAGE, size);
  free_split(&f);
}

static void many_small_strings_move_with_their_tensor(void **state) {
  (void)state;
  bytes graph = {NULL, 0}, tensor = {NULL, 0};
  for (int i = 0; i < 10000; i++) put_text(&tensor, 8, "a string");
  size_t size = tensor.size;
  put_message(&graph, 1, tensor_node(tensor));
  split_file f = split_graph(&graph, NULL);
  assert_int_equal(f.num_chunks, 2);
  expect_chunk(&f, "1[0] 5{value} 8", CPB_CHUNK_MESSAGE, size);
  free_split(&f);
}

/* --- A user's ------------------------------------------------------------- */

static void move_all_data(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  ++*(int *)user;
  if (strcmp(field->name, "data") == 0) decision->action = CPB_SPLIT_MOVE;
  if (strcmp(field->name, "child") == 0) decision->action = CPB_SPLIT_ENTER;
}

static void a_users_splitter_comes_first(void **state) {
  bytes child = data_of(7), m = {NULL, 0};
  put_message(&m, 1, child);
  put_message(&m, 3, noise(9, 1));
  int asked = 0;
  const cpb_splitter splitter = {"t.M", move_all_data, &asked};
  split_file f = split_own(state, &m, &splitter);
  assert_int_equal(asked, 3);
  expect_chunk(&f, "1 3", CPB_CHUNK_BYTES, 7);
  expect_chunk(&f, "3", CPB_CHUNK_BYTES, 9);
  free_split(&f);
}

static void move_children(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  (void)user;
  if (field->number != 2) return;
  decision->action = CPB_SPLIT_MOVE;
  decision->order = -(int32_t)field->index;
  decision->slice = 1000;
}

static void moved_messages_come_in_the_order_that_was_asked_for(void **state) {
  bytes m = {NULL, 0};
  for (size_t i = 0; i < 4; i++) {
    bytes child = {NULL, 0};
    for (size_t k = 0; k <= i; k++) put_message(&child, 9, noise(90, 1));
    put_message(&m, 2, child);
  }
  const cpb_splitter splitter = {NULL, move_children, NULL};
  split_file f = split_own(state, &m, &splitter);
  assert_int_equal(f.num_chunks, 5); /* none is cut at max_chunk_size */
  for (size_t i = 0; i < 4; i++) assert_int_equal(f.chunks[4 - i].size, (i + 1) * 92);
  free_split(&f);
}

static void keep_if_marked(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  (void)user;
  if (field->kind != CPB_SPLIT_BYTES) return;
  decision->peek = 4;
  if (field->data_size < 4) return;
  assert_int_equal(field->data_size, 4);
  decision->action = memcmp(field->data, "keep", 4) == 0 ? CPB_SPLIT_KEEP : CPB_SPLIT_MOVE;
}

static void a_splitter_may_look_at_the_first_bytes(void **state) {
  bytes m = {NULL, 0}, kept = {NULL, 0};
  put_text(&kept, 3, "keep this, whatever its size: .......................................");
  put_message(&m, 2, kept);
  put_message(&m, 1, data_of(200));
  const cpb_splitter splitter = {"t.M", keep_if_marked, NULL};
  cpb_split_options options = {.struct_size = sizeof options,
                               .type_name = "t.M",
                               .schema = *state,
                               .max_chunk_size = 16,
                               .splitters = &splitter,
                               .num_splitters = 1,
                               .seekable = 1};
  for (size_t piece = 0; piece < 4; piece++) { /* the bytes may come one by one */
    split_file f = split_with(&options, m, piece);
    expect_no_chunk(&f, "2[0] 3");
    expect_chunk(&f, "1 3", CPB_CHUNK_BYTES, 200);
    free_split(&f);
  }
  free(m.data);
}

static void keep_nodes(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  (void)user;
  if (strcmp(field->name, "node") == 0) decision->action = CPB_SPLIT_KEEP;
}

static void a_users_splitter_overrides_the_built_in_ones(void **state) {
  (void)state;
  bytes graph = {NULL, 0}, tensor = {NULL, 0};
  put_message(&tensor, 4, noise(100000, 1));
  put_message(&graph, 1, tensor_node(tensor));
  const cpb_splitter splitter = {"tensorflow.GraphDef", keep_nodes, NULL};
  split_file f = split_graph(&graph, &splitter);
  assert_int_equal(f.num_chunks, 1);
  free_split(&f);
}

#define OWN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      OWN(a_large_value_moves_out_of_where_it_is_nested),
      OWN(a_large_message_becomes_a_chunk_and_slices_of_it),
      OWN(earlier_cuts_hang_under_the_message_that_moves_later),
      OWN(map_values_are_found_by_key),
      OWN(a_key_that_no_merger_could_find_keeps_its_value),
      OWN(the_first_of_two_values_under_one_key_is_not_cut),
      OWN(the_last_of_two_values_under_one_key_may_be_cut),
      OWN(a_singular_message_that_occurs_twice_is_not_cut),
      OWN(a_value_that_is_overwritten_does_not_move),
      OWN(a_oneof_with_two_members_stays_whole),
      OWN(a_message_with_required_fields_never_leaves_an_empty_place),
      OWN(groups_and_unknown_fields_stay),
      OWN(a_hundred_thousand_levels_are_not_followed),
      OWN(many_wrong_cuts_leave_the_message_whole),
      cmocka_unit_test(large_payload_moves),
      cmocka_unit_test(typed_values_move_with_their_tensor),
      cmocka_unit_test(many_small_strings_move_with_their_tensor),
      OWN(a_users_splitter_comes_first),
      OWN(moved_messages_come_in_the_order_that_was_asked_for),
      OWN(a_splitter_may_look_at_the_first_bytes),
      cmocka_unit_test(a_users_splitter_overrides_the_built_in_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

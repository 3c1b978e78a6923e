/* Merging without chunks that are damaged: what is planned, and what can be read of it. */
#include "cpb/chunked.h"
#include "merge_files.h"
#include "stride.h"

#define HEADER 40 /* of a Riegeli chunk */

/* --- A file with damaged chunks ------------------------------------------- */

typedef struct {
  cpb_buffer file;
  cpb_index *index;
} damaged_file;

static cpb_step serve(const cpb_buffer *file, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, file->size);
  if (need.kind == CPB_NEED_RANGE) cpb_input_supply(input, need.offset, file->data + need.offset, need.length);
  return CPB_STEP_NEED;
}

/* Each chunk is a Riegeli chunk of its own. */
static damaged_file damage(merge_case *c, const size_t *lost, size_t count) {
  damaged_file d;
  write_file(c, &layouts[0], &d.file);
  for (size_t i = 0; i < count; i++) d.file.data[cpb_metadata_chunk(&c->index, lost[i]).offset + HEADER] ^= 1;
  d.index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(d.index) == CPB_STEP_NEED) serve(&d.file, cpb_index_input(d.index));
  assert_int_equal(cpb_index_error(d.index)->code, CPB_OK);
  return d;
}

static void free_damaged(damaged_file *d) {
  cpb_index_free(d->index);
  cpb_buffer_free(&d->file);
}

static cpb_step run(const damaged_file *d, cpb_merge *m, cpb_buffer *out) {
  cpb_step step;
  while ((step = cpb_merge_step(m)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t length;
    const uint8_t *data = cpb_merge_data(m, &length);
    if (step == CPB_STEP_NEED) serve(&d->file, cpb_merge_input(m));
    else append(out, data, length);
  }
  return step;
}

static cpb_merge *plan(const damaged_file *d, bool trust, cpb_step expected) {
  const cpb_merge_options options = {.struct_size = sizeof options, .trust_sizes = trust};
  cpb_merge *m = cpb_merge_new(NULL, d->index, &options);
  assert_int_equal(cpb_merge_keep_damaged(m), CPB_OK);
  assert_int_equal(cpb_merge_keep_damaged(m), CPB_E_USAGE);
  if (run(d, m, NULL) != expected) fail_msg("planned otherwise: %s", cpb_merge_error(m)->message);
  return m;
}

static bool is_one_of(uint64_t chunk, const size_t *lost, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (lost[i] == chunk) return true;
  return false;
}

/* The merged message by segments, each from a reader of its own. A lost chunk gives '?' for each of its bytes, or the
 * byte that the chunk had if that is `known`. */
static void read_left(const damaged_file *d, const cpb_merge *m, const merge_case *c, const size_t *lost, size_t count,
                      bool known, cpb_buffer *out) {
  cpb_segment s;
  for (size_t i = 0; cpb_merge_get_segment(m, i, &s) == CPB_OK; i++) {
    cpb_merge *fork = cpb_merge_fork(m, NULL);
    bool is_lost = s.chunk != CPB_NO_CHUNK && is_one_of(s.chunk, lost, count);
    assert_int_equal(cpb_merge_read(fork, s.offset, s.length), CPB_OK);
    size_t before = out->size;
    assert_int_equal(run(d, fork, out), is_lost ? CPB_STEP_ERROR : CPB_STEP_DONE);
    if (is_lost) {
      char name[32];
      cpb_format(name, sizeof name, "chunk %u: ", (unsigned)s.chunk);
      assert_int_equal(cpb_merge_error(fork)->code, CPB_E_DAMAGED);
      assert_memory_equal(cpb_merge_error(fork)->message, name, strlen(name));
      assert_int_equal(out->size, before);
      for (uint64_t at = 0; at < s.length; at++)
        append(out, known ? (const char *)c->chunks[s.chunk].data + s.chunk_offset + at : "?", 1);
    }
    cpb_merge_free(fork);
  }
}

static void expect_left(merge_case *c, size_t lost, const void *expected, size_t size) {
  damaged_file d = damage(c, &lost, 1);
  cpb_merge *m = plan(&d, true, CPB_STEP_DONE);
  cpb_buffer left;
  cpb_buffer_init(&left, &plain);
  read_left(&d, m, c, &lost, 1, false, &left);
  assert_int_equal(left.size, cpb_merge_size(m));
  assert_int_equal(left.size, size);
  assert_memory_equal(left.data, expected, size);
  cpb_buffer_free(&left);
  cpb_merge_free(m);
  free_damaged(&d);
  merge_case_free(c);
}
#define EXPECT_LEFT(c, lost, literal) expect_left(c, lost, literal, sizeof(literal) - 1)

static merge_case *new_case(void) {
  static merge_case c;
  plain = cpb_allocator_or_default(NULL);
  merge_case_init(&c);
  return &c;
}

/* --- What is placed ------------------------------------------------------- */

/* Chunk 0 is damaged in each of these. */
static void the_first_of_a_list_has_a_place(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x0a\x02ho"));
  add_node(c, root, "2[0].3", MESSAGE(c, "\x08\x05"));
  EXPECT_LEFT(c, 0, "????\x12\x04\x1a\x02\x08\x05");
}

static void larger_numbers_have_no_name(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x12\x02\x0a\x00\x12\x00"));
  add_node(c, root, "2[1].3", MESSAGE(c, "\x08\x05"));
  EXPECT_LEFT(c, 0, "??????");
}

static void an_entry_of_a_map_is_not_made_of_a_part_of_it(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x12\x07\x0a\x01x\x12\x02\x08\x01"));
  add_node(c, root, "2[\"x\"].3", BYTES(c, "hello"));
  add_node(c, root, "4", BYTES(c, "there"));
  EXPECT_LEFT(c, 0, "?????????\x22\x05there");
}

static void elements_of_a_slice_have_no_number(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x22\x02\x08\x01"));
  add_node(c, root, "", MESSAGE(c, "\x22\x02\x08\x02\x22\x02\x08\x03"));
  add_node(c, root, "4[1].2", BYTES(c, "of element 1"));
  add_node(c, root, "4[0].2", BYTES(c, "of element 0"));
  EXPECT_LEFT(c, 0, "????\x22\x02\x08\x02\x22\x02\x08\x03");
}

static void empty_elements_of_a_slice_are_left_out(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x22\x02\x08\x01"));
  add_node(c, root, "", MESSAGE(c, "\x22\x00\x22\x02\x08\x03"));
  add_node(c, root, "4[1].2", BYTES(c, "of element 1"));
  EXPECT_LEFT(c, 0, "????\x22\x02\x08\x03");
}

static void a_message_that_is_in_a_slice_too_has_no_numbers_either(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x1a\x04\x22\x02\x08\x01"));
  add_node(c, root, "", MESSAGE(c, "\x1a\x04\x22\x02\x08\x02"));
  add_node(c, root, "3.4[0].2", BYTES(c, "of element 0"));
  EXPECT_LEFT(c, 0, "??????\x1a\x04\x22\x02\x08\x02");
}

/* Chunk 1 is damaged: a function is one, whatever its number. */
static void an_element_that_is_a_chunk_is_placed_last(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x01"));
  uint32_t inner = add_node(c, root, "3", MESSAGE(c, "\x22\x02\x08\x01"));
  uint32_t element = add_node(c, inner, "4[7]", MESSAGE(c, "\x08\x07"));
  add_node(c, element, "2", BYTES(c, "in it"));
  EXPECT_LEFT(c, 1, "\x08\x01\x1a\x0f????\x22\x09\x08\x07\x12\x05in it");
}

static void a_chunk_that_nothing_goes_into_matters_to_nothing_else(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x01"));
  add_node(c, root, "2", BYTES(c, "hello"));
  add_node(c, root, "4", BYTES(c, "there"));
  EXPECT_LEFT(c, 1, "\x08\x01\x12\x05?????\x22\x05there");
}

/* --- What stays an error --------------------------------------------------- */

static void a_damaged_index_is_an_error(void **state) {
  (void)state;
  merge_case *c = new_case();
  uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x01"));
  add_node(c, root, "2[5].3", MESSAGE(c, "\x08\x05"));
  damaged_file d = damage(c, NULL, 0);
  cpb_merge *m = plan(&d, true, CPB_STEP_ERROR);
  assert_non_null(strstr(cpb_merge_error(m)->message, "element 5 of field 2"));
  assert_int_equal(cpb_merge_damage(m)->code, CPB_OK);
  assert_null(cpb_merge_fork(m, NULL));
  cpb_merge_free(m);
  free_damaged(&d);
  merge_case_free(c);
}

/* A hundred damaged chunks are done without. */
static void too_many_losses_are_an_error(void **state) {
  (void)state;
  for (size_t count = 100; count <= 101; count++) {
    size_t lost[101];
    merge_case *c = new_case();
    uint32_t root = add_node(c, CPB_NO_NODE, "", MESSAGE(c, "\x08\x01"));
    for (size_t i = 0; i < count; i++) {
      char path[16];
      cpb_format(path, sizeof path, "%zu", i + 2);
      lost[i] = MESSAGE(c, "\x0a\x02\x08\x01");
      add_node(c, add_node(c, root, path, lost[i]), "1.3", MESSAGE(c, "\x08\x05"));
    }
    damaged_file d = damage(c, lost, count);
    cpb_merge *m = plan(&d, true, count <= 100 ? CPB_STEP_DONE : CPB_STEP_ERROR);
    assert_int_equal(cpb_merge_damage(m)->code, CPB_E_DAMAGED);
    assert_memory_equal(cpb_merge_damage(m)->message, "chunk 1: ", 9);
    assert_int_equal(cpb_merge_damage(m)->offset, cpb_metadata_chunk(&c->index, 1).offset);
    cpb_merge_free(m);
    free_damaged(&d);
    merge_case_free(c);
  }
}

static void chunks_in_memory_are_as_they_are(void **state) {
  (void)state;
  cpb_error error;
  cpb_index *index = cpb_index_from_message(NULL, NULL, "", 0, &error);
  cpb_merge *m = cpb_merge_from_chunks(NULL, index, NULL, 0, NULL);
  assert_int_equal(cpb_merge_keep_damaged(m), CPB_E_USAGE);
  assert_int_equal(cpb_merge_damage(m)->code, CPB_OK);
  cpb_merge_free(m);
  cpb_index_free(index);
}

/* --- Random messages -------------------------------------------------------- */

/* Fields, and those of the messages that random_message.h has, follow each other to the end. */
static void parses(const cpb_buffer *message) {
  cpb_error error = {.code = CPB_OK};
  cpb_wire_scanner s;
  cpb_span in = {message->data, message->size};
  cpb_wire_begin(&s, &plain, 100, message->size, &error);
  for (;;) {
    cpb_wire_event event = cpb_wire_next(&s, &in);
    if (event == CPB_WIRE_END) break;
    if (event == CPB_WIRE_ERROR || event == CPB_WIRE_MORE) fail_msg("%s", error.message);
    bool message_field = s.field.number == 3 || s.field.number == 4;
    if (event == CPB_WIRE_FIELD && s.field.type == CPB_WIRE_LEN && message_field) assert_true(cpb_wire_enter(&s));
  }
  cpb_wire_free(&s);
}

/* Whichever chunks are damaged: all else is read, and with their bytes it would be a message. */
static void the_rest_of_any_message_is_read(void **state) {
  (void)state;
  size_t planned_without = 0;
  for (uint64_t i = 0; i < 600; i += sanitized_stride(7)) {
    merge_case c;
    cpb_buffer whole, left;
    make_case(&c, &whole, i);
    if (c.num_chunks > 0) {
      const size_t lost[] = {random_below((uint32_t)c.num_chunks), random_below((uint32_t)c.num_chunks)};
      const size_t count = lost[0] == lost[1] ? 1 : 2;
      damaged_file d = damage(&c, lost, count);
      cpb_merge *m = plan(&d, true, CPB_STEP_DONE);
      cpb_buffer_init(&left, &plain);
      read_left(&d, m, &c, lost, count, true, &left);
      bool has_all = cpb_merge_damage(m)->code == CPB_OK;
      if (has_all) assert_int_equal(left.size, whole.size);
      if (has_all && whole.size > 0) assert_memory_equal(left.data, whole.data, whole.size);
      parses(&left);
      planned_without += !has_all;
      cpb_merge_free(m);
      cpb_buffer_free(&left);
      free_damaged(&d);
    }
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
  assert_true(planned_without > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_of_a_list_has_a_place),
      cmocka_unit_test(larger_numbers_have_no_name),
      cmocka_unit_test(an_entry_of_a_map_is_not_made_of_a_part_of_it),
      cmocka_unit_test(elements_of_a_slice_have_no_number),
      cmocka_unit_test(empty_elements_of_a_slice_are_left_out),
      cmocka_unit_test(a_message_that_is_in_a_slice_too_has_no_numbers_either),
      cmocka_unit_test(an_element_that_is_a_chunk_is_placed_last),
      cmocka_unit_test(a_chunk_that_nothing_goes_into_matters_to_nothing_else),
      cmocka_unit_test(a_damaged_index_is_an_error),
      cmocka_unit_test(too_many_losses_are_an_error),
      cmocka_unit_test(chunks_in_memory_are_as_they_are),
      cmocka_unit_test(the_rest_of_any_message_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A plan for one field: the field is what it is in the whole merged message. */
#include "cpb/find.h"
#include "random_message.h"
#include "stride.h"

typedef struct found {
  cpb_code code;
  cpb_buffer bytes;
} found;

/* `only`: not all is planned. NOT planned: `code` is that of the merge. */
static found find_in(merge_case *c, const cpb_index *index, const cpb_path *path, bool only, bool *planned) {
  found f = {.code = CPB_OK};
  cpb_buffer message;
  cpb_buffer_init(&f.bytes, &plain);
  cpb_buffer_init(&message, &plain);
  cpb_merge *m = cpb_merge_from_chunks(NULL, index, c->chunks, c->num_chunks, NULL);
  if (only) assert_int_equal(cpb_merge_plan_for(m, NULL, path), CPB_OK);
  *planned = cpb_merge_step(m) == CPB_STEP_DONE;
  f.code = cpb_merge_error(m)->code;
  if (*planned) {
    size_t length;
    cpb_merge_read(m, 0, UINT64_MAX);
    while (cpb_merge_step(m) == CPB_STEP_DATA) {
      const uint8_t *data = cpb_merge_data(m, &length);
      append(&message, data, length);
    }
    cpb_find *find = cpb_find_new(NULL, NULL, path, NULL);
    while (cpb_find_step(find) == CPB_STEP_NEED) {
      if (message.size > 0) cpb_input_supply(cpb_find_input(find), 0, message.data, message.size);
      cpb_input_end(cpb_find_input(find), message.size);
    }
    f.code = cpb_find_error(find)->code;
    for (size_t i = 0; f.code == CPB_OK && i < cpb_find_num_ranges(find); i++)
      append(&f.bytes, message.data + cpb_find_get_range(find, i).offset, cpb_find_get_range(find, i).length);
    cpb_find_free(find);
  }
  cpb_merge_free(m);
  cpb_buffer_free(&message);
  return f;
}

static void random_path(char *text, size_t size) {
  size_t length = 0;
  for (uint32_t depth = 1 + random_below(4); depth > 0; depth--) {
    static const char *const steps[] = {"2", "3", "3", "4", "5", "9"};
    char step[24];
    uint32_t kind = random_below(10), n = random_below(4);
    if (kind < 4) cpb_format(step, sizeof step, "4[%u]", n);
    else if (kind < 5) cpb_format(step, sizeof step, "5[%u]", n);
    else if (kind < 6) cpb_format(step, sizeof step, "6[\"k%u\"]", n);
    else if (kind < 7) cpb_format(step, sizeof step, "7[%u]", n);
    else cpb_format(step, sizeof step, "%s", steps[random_below(6)]);
    length += cpb_format(text + length, size - length, "%s%s", length > 0 ? "." : "", step);
  }
}

typedef struct tally {
  unsigned same, found, refused;
} tally;

/* A field that a plan for it alone has is the one of the whole message. */
static void check_path(merge_case *c, const cpb_index *index, const char *text, tally *t) {
  bool planned, whole_planned;
  cpb_error error;
  cpb_path *path = cpb_path_parse(NULL, text, strlen(text), &error);
  assert_non_null(path);
  found whole = find_in(c, index, path, false, &whole_planned), only = find_in(c, index, path, true, &planned);
  if (whole_planned && !planned) {
    t->refused++;
  } else if (whole_planned) {
    bool same = whole.code == only.code && whole.bytes.size == only.bytes.size &&
                (only.bytes.size == 0 || memcmp(whole.bytes.data, only.bytes.data, only.bytes.size) == 0);
    if (!same) fail_msg("%s: %d, %d; %zu bytes, %zu", text, whole.code, only.code, whole.bytes.size, only.bytes.size);
    t->same++;
    t->found += only.code == CPB_OK;
  }
  cpb_buffer_free(&whole.bytes);
  cpb_buffer_free(&only.bytes);
  cpb_path_free(path);
}

static cpb_index *index_of(const merge_case *c) {
  cpb_buffer bytes;
  cpb_error error = {0};
  cpb_buffer_init(&bytes, &plain);
  assert_true(cpb_metadata_encode(&c->index, &bytes, &error));
  cpb_index *index = cpb_index_from_metadata(NULL, NULL, bytes.data, bytes.size, &error);
  cpb_buffer_free(&bytes);
  return index;
}

static void check_case(merge_case *c, tally *t) {
  cpb_index *index = index_of(c);
  assert_non_null(index);
  for (int i = 0; i < 12; i++) {
    char text[128];
    random_path(text, sizeof text);
    check_path(c, index, text, t);
  }
  cpb_index_free(index);
}

static void a_field_of_a_message_that_was_cut_up_is_the_same(void **state) {
  (void)state;
  tally t = {0};
  for (uint64_t i = 0; i < 1500; i += sanitized_stride(19)) {
    merge_case c;
    cpb_buffer whole;
    make_case(&c, &whole, i);
    check_case(&c, &t);
    cpb_buffer_free(&whole);
    merge_case_free(&c);
  }
  assert_true(t.found > t.same / 10 && t.refused < t.same / 10);
}

/* --- Odd ones ------------------------------------------------------------------ */

/* Chunks that go anywhere, in any order: what nobody cut up. */
static void make_odd(merge_case *c, uint64_t from) {
  cpb_buffer whole;
  make_case(c, &whole, from); /* its chunks, in another tree */
  cpb_buffer_free(&whole);
  cpb_metadata_free(&c->index);
  cpb_metadata_init(&c->index, &plain);
  for (size_t i = 0; i < c->num_chunks; i++)
    assert_true(cpb_metadata_add_chunk(&c->index, (cpb_chunk_entry){c->chunks[i].size, 64 + i, c->chunks[i].type}));
  uint32_t nodes[8] = {add_node(c, CPB_NO_NODE, "", c->num_chunks - 1)};
  for (size_t i = 1; i < 8; i++) {
    static const char *const ways[] = {"",     "",     "3",         "3",         "4[0]",     "4[1]",
                                       "4[2]", "4[3]", "4[0].4[1]", "6[\"k1\"]", "3.4[0].2", "4[1].3"};
    uint64_t chunk = one_in(6) ? CPB_NO_CHUNK : random_below((uint32_t)c->num_chunks);
    nodes[i] = add_node(c, nodes[i / 2 - (i > 3 && one_in(2))], ways[random_below(12)], chunk);
  }
}

static void a_field_of_any_tree_is_the_same(void **state) {
  (void)state;
  tally t = {0};
  for (uint64_t i = 0; i < 6000; i += sanitized_stride(13)) {
    merge_case c;
    make_odd(&c, i);
    check_case(&c, &t);
    merge_case_free(&c);
  }
  assert_true(t.found > 200 / sanitized_stride(13));
  assert_true(t.refused > 0 || sanitized_stride(13) > 13); /* one in hundreds is */
}

/* --- By hand --------------------------------------------------------------------- */

static void elements_that_others_would_make_are_not_left_out(void **state) {
  (void)state;
  merge_case c;
  tally t = {0};
  plain = cpb_allocator_or_default(NULL);
  merge_case_init(&c);
  uint32_t root = add_node(&c, CPB_NO_NODE, "", MESSAGE(&c, "\x22\x00\x22\x00"));
  add_node(&c, root, "4[2]", MESSAGE(&c, "\x08\x05")); /* makes element 2 */
  uint32_t more = add_node(&c, root, "4[3]", MESSAGE(&c, "\x08\x06"));
  add_node(&c, more, "", MESSAGE(&c, "\x08\x07"));
  cpb_index *index = index_of(&c);
  check_path(&c, index, "4[3].1", &t); /* which is what follows only if that is made */
  assert_int_equal(t.refused, 1);
  check_path(&c, index, "4[2].1", &t);
  check_path(&c, index, "4[1]", &t);
  assert_int_equal(t.found, 2);
  cpb_index_free(index);
  merge_case_free(&c);
}

/* The fields 4 of field 3, of which `way` makes the third: what another chunk adds comes after it. */
static void check_third(const char *way, const char *path) {
  merge_case c;
  tally t = {0};
  merge_case_init(&c);
  uint32_t root = add_node(&c, CPB_NO_NODE, "", MESSAGE(&c, ""));
  uint32_t a = add_node(&c, root, "3", MESSAGE(&c, "\x22\x00\x22\x00"));
  add_node(&c, a, way, MESSAGE(&c, "\x08\x05"));
  add_node(&c, root, "3", MESSAGE(&c, "\x22\x02\x08\x06\x22\x02\x08\x07"));
  cpb_index *index = index_of(&c);
  check_path(&c, index, path, &t);
  cpb_index_free(index);
  merge_case_free(&c);
}

static void omitted_fields_count(void **state) {
  (void)state;
  plain = cpb_allocator_or_default(NULL);
  check_third("4[2]", "3.4[3].1");
  check_third("4[2].3", "3.4[2].1");
  check_third("4[2].3", "3.4[3].1");
  check_third("4[2].4[0]", "3.4[2].4[1]");
}

static void mistakes_are_reported_before_the_first_step(void **state) {
  (void)state;
  merge_case c;
  cpb_error error;
  plain = cpb_allocator_or_default(NULL);
  merge_case_init(&c);
  add_node(&c, CPB_NO_NODE, "", MESSAGE(&c, ""));
  cpb_index *index = index_of(&c);
  cpb_path *path = cpb_path_parse(NULL, "4[1]", 4, &error);
  cpb_merge *m = cpb_merge_from_chunks(NULL, index, c.chunks, c.num_chunks, NULL);
  assert_int_equal(cpb_merge_step(m), CPB_STEP_DONE);
  assert_int_equal(cpb_merge_plan_for(m, NULL, path), CPB_E_USAGE);
  cpb_merge_free(m);
  cpb_path_free(path);
  cpb_index_free(index);
  merge_case_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_field_of_a_message_that_was_cut_up_is_the_same),
      cmocka_unit_test(a_field_of_any_tree_is_the_same),
      cmocka_unit_test(elements_that_others_would_make_are_not_left_out),
      cmocka_unit_test(omitted_fields_count),
      cmocka_unit_test(mistakes_are_reported_before_the_first_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Splitting as a whole: what comes back from a merge, what a chunk may weigh,
 * how the file is laid out, and what goes wrong when. */
#include "split_help.h"

#include "failing_allocator.h"

/* --- Messages ------------------------------------------------------------- */

static bytes const_node(unsigned number, size_t payload) {
  char name[32];
  bytes content = noise(payload, number), tensor = {NULL, 0}, value = {NULL, 0}, attr = {NULL, 0};
  bytes node = {NULL, 0};
  put_int(&tensor, 1, 1);
  put_message(&tensor, 4, content);
  put_message(&value, 8, tensor);
  put_text(&attr, 1, "value");
  put_message(&attr, 2, value);
  snprintf(name, sizeof name, "const_%u", number);
  put_text(&node, 1, name);
  put_text(&node, 2, "Const");
  put_message(&node, 5, attr);
  return node;
}

static bytes plain_node(unsigned number) {
  char name[64];
  bytes node = {NULL, 0};
  snprintf(name, sizeof name, "layer/of/the/model/add_%u", number);
  put_text(&node, 1, name);
  put_text(&node, 2, "AddV2");
  put_text(&node, 3, "layer/of/the/model/matmul");
  return node;
}

static bytes function(unsigned number, unsigned nodes) {
  bytes f = {NULL, 0}, signature = {NULL, 0};
  put_text(&signature, 1, "__inference_function");
  put_message(&f, 1, signature);
  for (unsigned i = 0; i < nodes; i++)
    put_message(&f, 3, i % 7 == 3 ? const_node(number * 100 + i, 40 * i) : plain_node(i));
  return f;
}

static bytes graph_def(unsigned nodes, unsigned functions) {
  bytes graph = {NULL, 0}, library = {NULL, 0}, versions = {NULL, 0};
  for (unsigned i = 0; i < nodes; i++) put_message(&graph, 1, i % 5 == 2 ? const_node(i, 60 * i) : plain_node(i));
  for (unsigned i = 0; i < functions; i++) put_message(&library, 1, function(i, 6 * i));
  put_message(&graph, 2, library);
  put_int(&versions, 1, 1882);
  put_message(&graph, 4, versions);
  return graph;
}

static bytes saved_model(void) {
  bytes meta = {NULL, 0}, info = {NULL, 0}, model = {NULL, 0};
  put_text(&info, 4, "serve");
  put_message(&meta, 1, info);
  put_message(&meta, 2, graph_def(40, 5));
  put_int(&model, 1, 1);
  put_message(&model, 2, meta);
  return model;
}

static cpb_split_options graph_options(uint64_t max_chunk_size, uint64_t inline_max) {
  return (cpb_split_options){.struct_size = sizeof(cpb_split_options),
                             .type_name = "tensorflow.GraphDef",
                             .max_chunk_size = max_chunk_size,
                             .inline_max = inline_max,
                             .seekable = 1};
}

static void expect_same(bytes got, bytes want) {
  assert_int_equal(got.size, want.size);
  assert_memory_equal(got.data, want.data, want.size);
}

/* --- What comes back ------------------------------------------------------ */

static void expect_back(const cpb_split_options *options, bytes message) {
  split_file f = split_with(options, message, 0);
  assert_int_equal(f.code, CPB_OK);
  bytes back = merged(&f);
  expect_same(back, message);
  free(back.data);
  free_split(&f);
}

static void comes_back_byte_for_byte_at_any_chunk_size(void **state) {
  (void)state;
  bytes graph = graph_def(40, 5), model = saved_model();
  for (uint64_t max = 1; max < 2 * graph.size; max += max / 7 + 1) {
    for (int layout = CPB_LAYOUT_REMOTE; layout <= CPB_LAYOUT_COMPAT; layout++) {
      cpb_split_options options = graph_options(max, max / 3 + 1);
      options.layout = layout;
      expect_back(&options, graph);
      options.type_name = NULL;
      expect_back(&options, model);
    }
  }
  free(graph.data);
  free(model.data);
}

static void the_empty_message_is_one_empty_chunk(void **state) {
  (void)state;
  cpb_split_options options = graph_options(0, 0);
  split_file f = split_with(&options, (bytes){NULL, 0}, 0);
  assert_int_equal(f.code, CPB_OK);
  assert_int_equal(f.num_chunks, 1);
  assert_int_equal(f.chunks[0].size, 0);
  free_split(&f);
}

static void a_message_that_fits_in_a_chunk_is_not_split(void **state) {
  (void)state;
  bytes graph = graph_def(10, 2);
  cpb_split_options options = graph_options(0, 0);
  split_file f = split_with(&options, graph, 0);
  assert_false(f.is_split);
  assert_int_equal(f.num_chunks, 1);
  expect_same(f.chunks[0], graph);
  free_split(&f);
  options.max_chunk_size = graph.size - 1;
  f = split_with(&options, graph, 0);
  assert_true(f.is_split);
  free_split(&f);
  free(graph.data);
}

/* --- What a chunk may weigh ----------------------------------------------- */

static size_t num_fields(bytes message) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_error error = {0};
  cpb_wire_scanner s;
  cpb_wire_begin(&s, &a, 100, message.size, &error);
  cpb_span in = {message.data, message.size};
  size_t count = 0;
  while (cpb_wire_next(&s, &in) == CPB_WIRE_FIELD) count++;
  assert_int_equal(error.code, CPB_OK);
  cpb_wire_free(&s);
  return count;
}

static void a_chunk_over_the_maximum_is_a_single_field(void **state) {
  (void)state;
  bytes graph = graph_def(60, 6);
  for (uint64_t max = 16; max < graph.size; max += max / 5 + 1) {
    cpb_split_options options = graph_options(max, 0);
    split_file f = split_with(&options, graph, 0);
    for (size_t i = 0; i < f.num_chunks; i++) {
      bool whole = f.chunks[i].size > max && cpb_metadata_chunk(&f.index, i).type == CPB_CHUNK_MESSAGE;
      if (whole) assert_int_equal(num_fields(f.chunks[i]), 1);
    }
    free_split(&f);
  }
  free(graph.data);
}

static void slices_are_filled(void **state) {
  (void)state;
  bytes graph = {NULL, 0};
  for (unsigned i = 0; i < 1000; i++) put_message(&graph, 1, plain_node(i));
  cpb_split_options options = graph_options(2000, 0);
  split_file f = split_with(&options, graph, 0);
  for (size_t i = 0; i + 1 < f.num_chunks; i++) assert_in_range(f.chunks[i].size, 1900, 2000);
  free_split(&f);
  free(graph.data);
}

/* --- How the file is laid out ---------------------------------------------- */

static void each_chunk_is_a_riegeli_chunk_for_remote_reading(void **state) {
  (void)state;
  bytes graph = graph_def(40, 5);
  cpb_split_options options = graph_options(3000, 500);
  split_file f = split_with(&options, graph, 0);
  assert_true(f.num_chunks > 5);
  for (size_t i = 0; i <= f.num_chunks; i++) { /* the index, too */
    assert_int_equal(f.records[i].index, 0);
    if (i > 0) assert_true(f.records[i].chunk_begin > f.records[i - 1].chunk_begin);
  }
  free_split(&f);
  free(graph.data);
}

static void compression_is_used_where_it_pays(void **state) {
  (void)state;
  bytes graph = {NULL, 0};
  put_message(&graph, 1, const_node(1, 200000));
  for (unsigned i = 0; i < 1000; i++) put_message(&graph, 1, plain_node(i));
  cpb_split_options options = graph_options(0, 0);
  split_file f = split_with(&options, graph, 0);
  assert_int_equal(f.num_chunks, 2);
  assert_int_equal(f.codecs[0], 'z');
  assert_int_equal(f.codecs[chunk_at(&f, "1[0] 5{value} 8 4")], 0);
  free_split(&f);
  options.codec.codec = CPB_CODEC_BROTLI;
  f = split_with(&options, graph, 0);
  assert_int_equal(f.codecs[0], 'b');
  assert_int_equal(f.codecs[1], 'b');
  free_split(&f);
  free(graph.data);
}

static void the_compatible_layout_shares_riegeli_chunks(void **state) {
  (void)state;
  bytes graph = graph_def(40, 5);
  cpb_split_options options = graph_options(3000, 500);
  options.layout = CPB_LAYOUT_COMPAT;
  split_file f = split_with(&options, graph, 0);
  for (size_t i = 0; i <= f.num_chunks; i++) {
    assert_int_equal(f.records[i].position, 64 + i); /* as TensorFlow's are */
    assert_int_equal(f.codecs[i], 'b');
  }
  free_split(&f);
  free(graph.data);
}

static void versions_are_written(void **state) {
  (void)state;
  static const int32_t BAD[] = {3, 5};
  cpb_split_options options = graph_options(0, 0);
  options.splitter_version = 7;
  options.join_version = 0;
  options.bad_consumers = BAD;
  options.num_bad_consumers = 2;
  split_file f = split_with(&options, (bytes){NULL, 0}, 0);
  assert_int_equal(f.index.splitter_version, 7);
  assert_int_equal(f.index.num_bad_consumers, 2);
  assert_int_equal(f.index.bad_consumers[1], 5);
  free_split(&f);
}

static void input_in_pieces_gives_the_same_file(void **state) {
  (void)state;
  bytes model = saved_model();
  cpb_split_options options = graph_options(2500, 400);
  options.type_name = NULL;
  split_file whole = split_with(&options, model, 0);
  static const size_t PIECES[] = {1, 2, 3, 7, 64, 1000};
  for (size_t i = 0; i < sizeof PIECES / sizeof *PIECES; i++) {
    split_file f = split_with(&options, model, PIECES[i]);
    expect_same(f.file, whole.file);
    free_split(&f);
  }
  free_split(&whole);
  free(model.data);
}

/* --- What goes wrong ------------------------------------------------------ */

static void wrong_options_are_said_at_the_first_step(void **state) {
  (void)state;
  cpb_split_options options = graph_options(0, 0);
  options.layout = (cpb_layout)(CPB_LAYOUT_COMPAT + 1);
  split_file f = split_with(&options, (bytes){NULL, 0}, 0);
  assert_int_equal(f.code, CPB_E_USAGE);
  free_split(&f);
  options = graph_options(0, 0);
  options.type_name = "tensorflow.NoSuchThing";
  f = split_with(&options, (bytes){NULL, 0}, 0);
  assert_int_equal(f.code, CPB_E_USAGE);
  assert_non_null(strstr(f.error.message, "tensorflow.NoSuchThing"));
  free_split(&f);
}

static void damage_is_an_error(void **state) {
  (void)state;
  bytes graph = graph_def(20, 2);
  cpb_split_options options = graph_options(500, 100);
  bytes cut_short = {graph.data, graph.size - 1};
  split_file f = split_with(&options, cut_short, 0);
  assert_int_equal(f.code, CPB_E_DAMAGED);
  free_split(&f);
  free(graph.data);
}

static void an_input_that_shrinks_is_an_error(void **state) {
  (void)state;
  bytes graph = graph_def(20, 2), shorter = {graph.data, graph.size / 2}, file = {NULL, 0};
  cpb_split_options options = graph_options(500, 100);
  cpb_split *split = cpb_split_new(NULL, &options);
  uint8_t *lent = NULL;
  while (cpb_split_plan(split) == CPB_STEP_NEED) lent = lend(cpb_split_input(split), graph, 0, lent);
  free(lent);
  assert_true(cpb_split_count(split) > 1);
  assert_int_equal(run_split(split, shorter, 0, &file), CPB_STEP_ERROR);
  assert_int_equal(cpb_split_error(split)->code, CPB_E_TRUNCATED);
  assert_int_equal(cpb_split_step(split), CPB_STEP_ERROR); /* for ever after */
  cpb_split_free(split);
  free(file.data);
  free(graph.data);
}

static void too_many_chunks_are_a_limit(void **state) {
  (void)state;
  bytes graph = graph_def(40, 2);
  const cpb_limits limits = {.struct_size = sizeof limits, .chunks = 3};
  cpb_split_options options = graph_options(200, 0);
  options.limits = &limits;
  split_file f = split_with(&options, graph, 0);
  assert_int_equal(f.code, CPB_E_LIMIT);
  free_split(&f);
  free(graph.data);
}

static size_t allocations_until_done(bytes model, size_t fail_at, bool for_ever, bool *failed) {
  failing_allocator failing = {.fail_at = fail_at, .for_ever = for_ever};
  const cpb_allocator a = failing_allocator_of(&failing);
  cpb_split_options options = graph_options(3000, 400);
  options.type_name = NULL;
  bytes file = {NULL, 0};
  cpb_split *split = cpb_split_new(&a, &options);
  *failed = split == NULL;
  if (split != NULL && run_split(split, model, 0, &file) == CPB_STEP_ERROR) {
    *failed = true;
    assert_int_equal(cpb_split_error(split)->code, CPB_E_MEMORY);
  }
  cpb_split_free(split);
  free(file.data);
  assert_int_equal(failing.blocks, 0);
  return failing.calls;
}

static void any_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  bytes model = saved_model();
  bool failed;
  size_t total = allocations_until_done(model, 0, false, &failed);
  assert_false(failed);
  for (size_t n = 1; n <= total; n++) {
    for (int for_ever = 0; for_ever <= 1; for_ever++) {
      allocations_until_done(model, n, for_ever, &failed);
      assert_true(failed);
    }
  }
  free(model.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back_byte_for_byte_at_any_chunk_size),
      cmocka_unit_test(the_empty_message_is_one_empty_chunk),
      cmocka_unit_test(a_message_that_fits_in_a_chunk_is_not_split),
      cmocka_unit_test(a_chunk_over_the_maximum_is_a_single_field),
      cmocka_unit_test(slices_are_filled),
      cmocka_unit_test(each_chunk_is_a_riegeli_chunk_for_remote_reading),
      cmocka_unit_test(compression_is_used_where_it_pays),
      cmocka_unit_test(the_compatible_layout_shares_riegeli_chunks),
      cmocka_unit_test(versions_are_written),
      cmocka_unit_test(input_in_pieces_gives_the_same_file),
      cmocka_unit_test(wrong_options_are_said_at_the_first_step),
      cmocka_unit_test(damage_is_an_error),
      cmocka_unit_test(an_input_that_shrinks_is_an_error),
      cmocka_unit_test(too_many_chunks_are_a_limit),
      cmocka_unit_test(any_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* One field by the pages that it needs is the same as by all of them, wherever it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cpb/chunked.h"
#include "cpb/find.h"
#include "failing_allocator.h"
#include "split_help.h"
#include "stride.h"

/* --- Messages ------------------------------------------------------------------ */

/* A SavedModel with two graphs of nodes, some of which have large constants, and functions with nodes. */
static bytes node_of(uint32_t i, uint32_t seed) {
  bytes node = {0}, attr = {0}, value = {0}, tensor = {0};
  char name[16];
  snprintf(name, sizeof name, "n%u", (unsigned)i);
  put_text(put_text(&node, 1, name), 2, "Const");
  put_message(&tensor, 4, noise((i * 7 + seed) % 5 == 0 ? 300 : 10, i));
  put_message(&value, 8, tensor);
  put_message(put_text(&attr, 1, "value"), 2, value);
  return *put_message(&node, 5, attr);
}

static bytes graph_of(uint32_t nodes, uint32_t seed) {
  bytes graph = {0}, library = {0};
  for (uint32_t i = 0; i < nodes; i++) put_message(&graph, 1, node_of(i, seed));
  for (uint32_t f = 0; f < seed % 4; f++) {
    bytes function = {0}, signature = {0};
    put_message(&function, 1, *put_text(&signature, 1, f ? "g" : "f"));
    for (uint32_t i = 0; i < 20; i++) put_message(&function, 3, node_of(i, f));
    put_message(&library, 1, function);
  }
  return *put_message(&graph, 2, library);
}

static bytes model_of(uint32_t seed) {
  bytes model = {0};
  put_int(&model, 1, 1);
  for (uint32_t i = 0; i < 2; i++) {
    bytes meta = {0};
    put_message(&model, 2, *put_message(&meta, 2, graph_of(20 + seed % 50, seed + i)));
  }
  return model;
}

static bytes split_into(bytes message, uint64_t chunk_size, uint64_t page_size, const char *type) {
  bytes file = {0};
  const cpb_split_options how = {.struct_size = sizeof how,
                                 .type_name = type,
                                 .max_chunk_size = chunk_size,
                                 .codec = {.codec = CPB_CODEC_NONE},
                                 .seekable = 1,
                                 .index_pages = page_size};
  cpb_split *split = cpb_split_new(NULL, &how);
  assert_int_equal(run_split(split, message, 0, &file), CPB_STEP_DONE);
  cpb_split_free(split);
  return file;
}

/* --- Reading ------------------------------------------------------------------- */

static uint64_t lent; /* bytes */

static void supply(cpb_input *input, bytes file) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, file.size);
  if (need.kind == CPB_NEED_SIZE || need.offset >= file.size) return;
  size_t length = need.length < file.size - need.offset ? need.length : (size_t)(file.size - need.offset);
  lent += length;
  cpb_input_supply(input, need.offset, file.data + need.offset, length);
}

static bytes merged_by(const cpb_index *index, bytes file) {
  bytes out = {0};
  cpb_merge *merge = cpb_merge_new(NULL, index, NULL);
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) supply(cpb_merge_input(merge), file);
  if (step == CPB_STEP_ERROR) print_error("%s\n", cpb_merge_error(merge)->message);
  assert_int_equal(step, CPB_STEP_DONE);
  cpb_merge_read(merge, 0, UINT64_MAX);
  while ((step = cpb_merge_step(merge)) != CPB_STEP_DONE) {
    size_t length;
    assert_int_not_equal(step, CPB_STEP_ERROR);
    if (step == CPB_STEP_NEED) {
      supply(cpb_merge_input(merge), file);
      continue;
    }
    const uint8_t *data = cpb_merge_data(merge, &length);
    write_at(&out, out.size, data, length);
  }
  cpb_merge_free(merge);
  return out;
}

/* The field, or the error's code as its size and no data. */
static bytes field_of(bytes message, const cpb_message_type *type, const cpb_path *path) {
  bytes out = {0};
  cpb_find *find = cpb_find_new(NULL, type, path, NULL);
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) supply(cpb_find_input(find), message);
  for (size_t i = 0; step == CPB_STEP_DONE && i < cpb_find_num_ranges(find); i++) {
    const cpb_range range = cpb_find_get_range(find, i);
    put(&out, message.data + range.offset, (size_t)range.length);
  }
  if (step == CPB_STEP_ERROR) out.size = (size_t)cpb_find_error(find)->code;
  cpb_find_free(find);
  return out;
}

static cpb_index *open_for(bytes file, const cpb_allocator *a, const cpb_message_type *type, const cpb_path *path,
                           cpb_error *error) {
  cpb_index *index = cpb_index_new(a, NULL);
  *error = (cpb_error){.code = CPB_E_MEMORY};
  if (!index) return NULL;
  cpb_index_want(index, type, path);
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) supply(cpb_index_input(index), file);
  *error = *cpb_index_error(index);
  if (step == CPB_STEP_DONE) return index;
  cpb_index_free(index);
  return NULL;
}

/* --- Comparing ----------------------------------------------------------------- */

static unsigned parts; /* how often a part was enough */

static void compare(bytes file, bytes message, const cpb_message_type *type, const char *text) {
  cpb_error error;
  cpb_path *path = cpb_path_parse(NULL, text, strlen(text), &error);
  cpb_index *index = open_for(file, NULL, type, path, &error);
  assert_string_equal(error.message, "");
  const cpb_path *wanted = cpb_index_wanted(index);
  bytes whole = merged_by(index, file);
  bytes is = field_of(whole, type, wanted ? wanted : path), expected = field_of(message, type, path);
  parts += wanted != NULL;
  if (is.size != expected.size)
    print_error("%s (%s): %zu bytes; expected %zu\n", text, wanted ? "part" : "whole", is.size, expected.size);
  assert_int_equal(is.size, expected.size);
  if (expected.data) assert_memory_equal(is.data, expected.data, is.size);
  free(is.data);
  free(expected.data);
  free(whole.data);
  cpb_index_free(index);
  cpb_path_free(path);
}

static const char *const places[] = {
    "",          ".name", ".attr[\"value\"]", ".attr[\"value\"].tensor.tensor_content", ".attr[\"absent\"].tensor",
    ".input[0]", ".attr",
};

static void every_field_is_found(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.SavedModel");
  for (uint32_t seed = 0; seed < 12; seed += sanitized_stride(5)) {
    bytes message = model_of(seed);
    bytes file = split_into(message, seed % 3 ? 100 : 1000, seed % 2 ? 60 : 700, "tensorflow.SavedModel");
    char path[128];
    for (uint32_t i = 0; i < 75; i += 1 + seed % 7) {
      for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        snprintf(path, sizeof path, "meta_graphs[%u].graph_def.node[%u]%s", (unsigned)(i % 2), (unsigned)i, places[p]);
        compare(file, message, type, path);
        snprintf(path, sizeof path, "meta_graphs[1].graph_def.library.function[%u].node_def[%u]%s", (unsigned)(i % 3),
                 (unsigned)i, places[p]);
        compare(file, message, type, path);
      }
    }
    compare(file, message, type, "saved_model_schema_version");
    compare(file, message, type, "meta_graphs");
    compare(file, message, type, "meta_graphs[2].graph_def");
    compare(file, message, type, "meta_graphs[0].graph_def.library");
    compare(file, message, type, "meta_graphs[1].graph_def.library.function");
    free(message.data);
    free(file.data);
  }
  assert_true(parts > 1000 / sanitized_stride(5));
  cpb_schema_free(schema);
}

/* What is not read has no effect. */
static void little_is_read(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.GraphDef");
  bytes message = graph_of(3000, 0);
  bytes file = split_into(message, 50, 1000, "tensorflow.GraphDef");
  static const char text[] = "node[1234].attr[\"value\"].tensor.tensor_content";
  cpb_path *path = cpb_path_parse(NULL, text, sizeof text - 1, &error);
  lent = 0;
  cpb_index *index = open_for(file, NULL, type, path, &error);
  assert_non_null(cpb_index_wanted(index));
  assert_true(cpb_index_num_pages(index) <= 8 && lent < 90000);
  cpb_index_free(index);
  cpb_path_free(path);
  free(message.data);
  free(file.data);
  cpb_schema_free(schema);
}

/* A host may stop there, and look for one field instead. */
static void the_number_of_chunks_is_known_before_the_pages(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  bytes message = graph_of(3000, 0);
  bytes file = split_into(message, 50, 1000, "tensorflow.GraphDef");
  cpb_index *index = cpb_index_new(NULL, NULL);
  uint64_t before = 0;
  while (cpb_index_step(index) == CPB_STEP_NEED) {
    if (cpb_index_num_pages(index) == 1 && before == 0) before = cpb_index_num_chunks(index);
    assert_true(cpb_index_num_pages(index) > 0 || cpb_index_num_chunks(index) == 0);
    cpb_need need; /* of which little is given, so that each page is asked for */
    cpb_input_need(cpb_index_input(index), &need);
    if (need.kind == CPB_NEED_SIZE) cpb_input_end(cpb_index_input(index), file.size);
    else
      cpb_input_supply(cpb_index_input(index), need.offset, file.data + need.offset,
                       need.length < 64 ? need.length : 64);
  }
  assert_true(before > 1000);
  assert_int_equal(before, cpb_index_num_chunks(index));
  cpb_index_free(index);

  static const struct {
    const char *path;
    int wanted;
  } paths[] = {{"node[3].name", 1}, {"node", 1}, {"", 0}, {"meta_graphs[0]", 0}};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    cpb_path *path = cpb_path_parse(NULL, paths[i].path, strlen(paths[i].path), &error);
    index = cpb_index_new(NULL, NULL);
    const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.GraphDef");
    assert_int_equal(cpb_index_want(index, type, path), paths[i].wanted);
    cpb_index_free(index);
    cpb_path_free(path);
  }
  free(message.data);
  free(file.data);
  cpb_schema_free(schema);
}

static void lack_of_memory_is_an_error(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.GraphDef");
  bytes message = graph_of(60, 1);
  bytes file = split_into(message, 50, 100, "tensorflow.GraphDef");
  static const char text[] = "node[33].attr[\"value\"].tensor";
  cpb_path *path = cpb_path_parse(NULL, text, sizeof text - 1, &error);
  for (size_t n = 1;; n += sanitized_stride(5)) {
    failing_allocator f = {.fail_at = n};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_index *index = open_for(file, &a, type, path, &error);
    const bool done = index != NULL;
    if (!done) assert_int_equal(error.code, CPB_E_MEMORY);
    cpb_index_free(index);
    assert_int_equal(f.blocks, 0);
    if (done && f.calls < n) break;
  }
  cpb_path_free(path);
  free(message.data);
  free(file.data);
  cpb_schema_free(schema);
}

/* Any byte of the file may be another one: an error, or an answer. */
static void damage_is_an_error_or_an_answer(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.GraphDef");
  bytes message = graph_of(30, 1);
  bytes file = split_into(message, 50, 100, "tensorflow.GraphDef");
  static const char text[] = "node[13].name";
  cpb_path *path = cpb_path_parse(NULL, text, sizeof text - 1, &error);
  for (size_t i = 0; i < file.size; i += 3 * sanitized_stride(5)) {
    file.data[i] ^= 0x55;
    cpb_index *index = open_for(file, NULL, type, path, &error);
    assert_true((index == NULL) == (error.code != CPB_OK));
    cpb_index_free(index);
    file.data[i] ^= 0x55;
  }
  cpb_path_free(path);
  free(message.data);
  free(file.data);
  cpb_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_field_is_found),
      cmocka_unit_test(little_is_read),
      cmocka_unit_test(the_number_of_chunks_is_known_before_the_pages),
      cmocka_unit_test(lack_of_memory_is_an_error),
      cmocka_unit_test(damage_is_an_error_or_an_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

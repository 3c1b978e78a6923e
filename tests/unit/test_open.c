/* cpb/open.h: messages and models in whatever file they are, with what lies beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "cpb/open.h"
#include "failing_allocator.h"
#include "model_folder.h"

/* saved_model.cpb from saved_model.pb, of which merging gives every byte back. */
static void put_chunked(void) {
  const cpb_split_options how = {.struct_size = sizeof how, .max_chunk_size = 3000};
  assert_int_equal(cpb_file_split(model_path("saved_model.pb"), model_path("saved_model.cpb"), &how, NULL, NULL),
                   CPB_OK);
}

/* --- Which file ---------------------------------------------------------------------- */

static void finds(const char *path, const char *expected) {
  char found[600];
  assert_int_equal(cpb_find_model(path, found, strlen(path) + CPB_FIND_MODEL_ROOM), 1);
  assert_string_equal(found, expected);
}

static void a_path_stands_for_a_file(void **state) {
  (void)state;
  char small[600];
  finds(model_folder, model_path("saved_model.pb"));
  finds(model_path("saved_model"), model_path("saved_model.pb"));
  finds(model_path("saved_model.pb"), model_path("saved_model.pb"));
  finds(model_path("nothing"), model_path("nothing"));
  finds(model_path("variables"), model_path("variables/variables.index"));
  finds(model_path("variables/variables"), model_path("variables/variables.index"));
  put_chunked();
  finds(model_path("saved_model"), model_path("saved_model.cpb")); /* as TensorFlow's Merger */
  finds(model_folder, model_path("saved_model.pb"));               /* as its loaders */
  assert_int_not_equal(cpb_find_passed_over(model_path("saved_model.pb"), small, sizeof small), 0);
  assert_string_equal(small, model_path("saved_model.cpb"));
  assert_int_equal(cpb_find_passed_over(model_path("saved_model.cpb"), small, sizeof small), 0);
  assert_int_equal(cpb_find_passed_over(model_path("saved_model.pb"), small, 3), 0);
  unlink(model_path("saved_model.cpb"));
  assert_int_equal(cpb_find_passed_over(model_path("saved_model.pb"), small, sizeof small), 0);
  assert_int_equal(cpb_find_model("x", small, CPB_FIND_MODEL_ROOM), 0);
}

/* --- Messages -------------------------------------------------------------------------- */

static uint8_t *read_message(const char *path, uint64_t *size, bool chunked) {
  cpb_error error;
  cpb_message_file *m = cpb_message_file_open(NULL, path, NULL, &error);
  assert_non_null(m);
  assert_int_equal(cpb_message_file_index(m) != NULL, chunked);
  assert_int_equal(cpb_message_file_size(m, size, &error), CPB_OK);
  uint8_t *all = malloc(*size);
  for (uint64_t at = 0; at < *size;) {
    size_t length = *size - at < 5000 ? *size - at : 5000;
    const uint8_t *data = cpb_message_file_read(m, at, &length, &error);
    assert_true(data && length > 0);
    memcpy(all + at, data, length);
    at += length;
  }
  size_t more = 1;
  assert_non_null(cpb_message_file_read(m, *size, &more, &error));
  assert_int_equal(more, 0);
  cpb_message_file_close(m);
  return all;
}

static void a_message_is_the_same_chunked_or_not(void **state) {
  (void)state;
  uint64_t size, merged_size;
  put_chunked();
  uint8_t *plain = read_message(model_path("saved_model.pb"), &size, false);
  uint8_t *merged = read_message(model_path("saved_model.cpb"), &merged_size, true);
  assert_int_equal(size, merged_size);
  assert_memory_equal(plain, merged, size);
  free(plain);
  free(merged);
}

/* --- Models ------------------------------------------------------------------------------ */

static cpb_model_file *open_model(const char *path) {
  cpb_error error;
  cpb_model_file *file = cpb_model_file_open(NULL, path, NULL, &error);
  if (!file) fail_msg("%s: %s", path, error.message);
  return file;
}

/* The answer, to be freed; NULL and the error. */
static char *ask(cpb_model_file *file, cpb_question_kind kind, const char *name, cpb_error *error) {
  size_t size;
  const cpb_question question = {
      .struct_size = sizeof question, .kind = kind, .name = name, .name_size = name ? strlen(name) : 0};
  const char *json = cpb_model_file_ask(file, &question, &size, error);
  char *copy = json ? calloc(size + 1, 1) : NULL;
  return copy ? memcpy(copy, json, size) : NULL;
}

static bool answers(cpb_model_file *file, cpb_question_kind kind, const char *part) {
  cpb_error error;
  char *json = ask(file, kind, NULL, &error);
  bool has = json && strstr(json, part);
  free(json);
  return has;
}

static void a_model_answers_the_same_chunked_or_not(void **state) {
  static const cpb_question_kind kinds[] = {CPB_ASK_OVERVIEW, CPB_ASK_CONSTANTS, CPB_ASK_VARIABLES, CPB_ASK_OBJECTS};
  (void)state;
  cpb_error error;
  cpb_model_file *plain = open_model(model_path("saved_model.pb"));
  put_chunked();
  cpb_model_file *chunked = open_model(model_path("saved_model.cpb"));
  assert_string_equal(cpb_model_file_path(chunked), model_path("saved_model.cpb"));
  assert_int_equal(cpb_model_file_kind(chunked), CPB_MODEL_SAVED_MODEL);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char *a = ask(plain, kinds[i], NULL, &error), *b = ask(chunked, kinds[i], NULL, &error);
    assert_true(a && b);
    assert_string_equal(a, b);
    free(a);
    free(b);
  }
  cpb_model_file_close(plain);
  cpb_model_file_close(chunked);
}

/* --- Damaged ones -------------------------------------------------------------------------- */

/* Changes a byte of the chunk; the second time back. */
static void change_chunk(const cpb_chunk_info *chunk) {
  FILE *file = fopen(model_path("saved_model.cpb"), "r+b");
  assert_int_equal(fseek(file, (long)chunk->position + 40, SEEK_SET), 0);
  int byte = fgetc(file);
  assert_int_equal(fseek(file, -1, SEEK_CUR), 0);
  fputc(byte ^ 1, file);
  assert_int_equal(fclose(file), 0);
}

/* The bytes of the message that are read as they should be; the others fail, and do not harm what is read later. */
static uint64_t count_read(cpb_message_file *m, const uint8_t *whole, uint64_t size) {
  uint64_t same = 0;
  for (uint64_t at = 0; at < size; at++) {
    size_t length = 1;
    cpb_error error;
    const uint8_t *data = cpb_message_file_read(m, at, &length, &error);
    if (data) assert_true(length == 1 && *data == whole[at]);
    else assert_int_equal(error.code, CPB_E_DAMAGED);
    same += data != NULL;
  }
  return same;
}

static void the_rest_of_a_damaged_message_is_read(void **state) {
  (void)state;
  uint64_t size;
  put_chunked();
  uint8_t *whole = read_message(model_path("saved_model.pb"), &size, false);
  cpb_message_file *intact = cpb_message_file_open(NULL, model_path("saved_model.cpb"), NULL, NULL);
  const cpb_index *index = cpb_message_file_index(intact);
  assert_true(cpb_index_num_chunks(index) > 2);
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info chunk;
    cpb_index_get_chunk(index, i, &chunk);
    change_chunk(&chunk);
    const cpb_message_file_options keep = {.struct_size = sizeof keep, .keep_damaged = 1};
    cpb_message_file *m = cpb_message_file_open(NULL, model_path("saved_model.cpb"), &keep, NULL);
    assert_non_null(m);
    const char *damage = cpb_message_file_damage(m);
    if (!damage) assert_int_equal(count_read(m, whole, size), size - chunk.size);
    else assert_non_null(strstr(damage, "of the file"));
    cpb_message_file_close(m);
    change_chunk(&chunk);
  }
  assert_null(cpb_message_file_damage(intact));
  assert_int_equal(count_read(intact, whole, size), size);
  cpb_message_file_close(intact);
  free(whole);
}

static void a_damaged_model_answers_all_the_same(void **state) {
  static const cpb_question_kind kinds[] = {CPB_ASK_OVERVIEW, CPB_ASK_CONSTANTS, CPB_ASK_OBJECTS, CPB_ASK_NODES};
  (void)state;
  put_chunked();
  cpb_message_file *intact = cpb_message_file_open(NULL, model_path("saved_model.cpb"), NULL, NULL);
  size_t told = 0;
  for (uint64_t i = 0; i < cpb_index_num_chunks(cpb_message_file_index(intact)); i++) {
    cpb_chunk_info chunk;
    cpb_error error;
    cpb_index_get_chunk(cpb_message_file_index(intact), i, &chunk);
    change_chunk(&chunk);
    const cpb_model_file_options keep = {.struct_size = sizeof keep, .keep_damaged = 1};
    cpb_model_file *file = cpb_model_file_open(NULL, model_path("saved_model.cpb"), &keep, &error);
    if (!file) fail_msg("%s", error.message);
    size_t before = told;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      char *json = ask(file, kinds[k], NULL, &error);
      if (!json) fail_msg("%s", error.message);
      told += strstr(json, "\"damage\":true") != NULL;
      free(json);
    }
    char *cut = ask(file, CPB_ASK_CUT, "root", &error);
    assert_int_equal(cut == NULL, told > before); /* what is missing would be missing from it */
    free(cut);
    cpb_model_file_close(file);
    change_chunk(&chunk);
  }
  assert_true(told > 4);
  cpb_message_file_close(intact);
}

/* --- Files beside a model ---------------------------------------------------------------- */

static void files_beside_are_known(void **state) {
  (void)state;
  cpb_model_file *file = open_model(model_folder);
  assert_null(cpb_model_file_checkpoint(file));
  assert_true(answers(file, CPB_ASK_OVERVIEW, "\"fingerprint\":{\"saved_model_checksum\""));
  assert_true(answers(file, CPB_ASK_VARIABLES, "\"key\":\"v/.ATTRIBUTES/VARIABLE_VALUE\""));
  assert_int_equal(cpb_checkpoint_num_shards(cpb_model_file_checkpoint(file)), 1);
  assert_true(cpb_model_file_size(file, 0) > cpb_model_file_size(file, CPB_BESIDE_FINGERPRINT));
  assert_true(cpb_model_file_size(file, CPB_BESIDE_FINGERPRINT) > 0);
  assert_true(cpb_model_file_size(file, CPB_BESIDE_CHECKPOINT) > 0);
  assert_true(cpb_model_file_size(file, CPB_BESIDE_KERAS_METADATA) == 0);
  assert_true(cpb_model_file_size(file, CPB_BESIDE_ALL) == 0);
  cpb_model_file_close(file);
  const cpb_model_file_options alone = {.struct_size = sizeof alone, .leave_out = CPB_BESIDE_ALL};
  file = cpb_model_file_open(NULL, model_folder, &alone, NULL);
  assert_false(answers(file, CPB_ASK_OVERVIEW, "fingerprint"));
  assert_null(cpb_model_file_checkpoint(file));
  cpb_model_file_close(file);
}

/* --- A model in an open file --------------------------------------------------------------- */

/* A model in memory, and how often it was closed. */
typedef struct held {
  uint8_t data[100000];
  size_t size;
  int closed;
} held;

static cpb_code held_read(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  const held *h = user;
  (void)error;
  size_t left = offset < h->size ? h->size - (size_t)offset : 0;
  if (*length > left) *length = left;
  memcpy(out, h->data + (left ? offset : 0), *length);
  return CPB_OK;
}

static cpb_code held_size(void *user, uint64_t *size, cpb_error *error) {
  (void)error;
  *size = ((const held *)user)->size;
  return CPB_OK;
}

static void held_close(void *user) { ((held *)user)->closed++; }

static cpb_model_file *open_held(const cpb_allocator *a, held *h, const char *path, cpb_error *error) {
  const cpb_source how = {
      .struct_size = sizeof how, .user = h, .read = held_read, .size = held_size, .close = held_close};
  h->closed = 0;
  cpb_file *file = cpb_file_open_source(a, &how, error);
  return file ? cpb_model_file_on(a, file, path, NULL, error) : NULL;
}

static void hold(held *h, const char *path) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  h->size = fread(h->data, 1, sizeof h->data, in);
  assert_int_equal(fclose(in), 0);
  assert_in_range(h->size, 1, sizeof h->data - 1);
}

static void a_model_on_an_open_file_has_nothing_beside_it(void **state) {
  (void)state;
  cpb_error error;
  static held h;
  const cpb_model_file_options alone = {.struct_size = sizeof alone, .leave_out = CPB_BESIDE_ALL};
  cpb_model_file *file = cpb_model_file_open(NULL, model_folder, &alone, &error);
  char *expected = file ? ask(file, CPB_ASK_OVERVIEW, NULL, &error) : NULL;
  cpb_model_file_close(file);
  hold(&h, MODEL_CPB);
  file = open_held(NULL, &h, model_path("saved_model.cpb"), &error); /* where the checkpoint would be */
  assert_non_null(file);
  char *json = ask(file, CPB_ASK_OVERVIEW, NULL, &error);
  assert_true(expected && json);
  assert_string_equal(json, expected);
  assert_string_equal(cpb_model_file_path(file), model_path("saved_model.cpb"));
  assert_null(cpb_model_file_variable(file, "v", 1, NULL, &error));
  assert_int_equal(error.code, CPB_E_FORMAT);
  assert_int_equal(h.closed, 0);
  cpb_model_file_close(file);
  assert_int_equal(h.closed, 1);
  free(expected);
  free(json);
}

static void an_open_file_is_closed_when_it_is_no_model(void **state) {
  (void)state;
  cpb_error error;
  static held h;
  hold(&h, MODEL_CPB);
  assert_null(open_held(NULL, &h, "named.pb", &error)); /* and so not chunked */
  assert_int_equal(error.code, CPB_E_FORMAT);
  assert_int_equal(h.closed, 1);
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    cpb_model_file *file = open_held(&a, &h, "", &error);
    assert_int_equal(error.code, file ? CPB_OK : CPB_E_MEMORY);
    assert_int_equal(h.closed, file ? 0 : 1);
    cpb_model_file_close(file);
    assert_int_equal(h.closed, 1);
    assert_int_equal(f.blocks, 0);
    if (file) break;
  }
}

/* --- Files beside it that cannot be read ----------------------------------------------------- */

static void blames(cpb_model_file *file, cpb_question_kind kind, cpb_code code, unsigned beside, const char *name) {
  cpb_error error;
  const char *path;
  assert_null(ask(file, kind, NULL, &error));
  assert_int_equal(error.code, code);
  assert_int_equal(cpb_model_file_culprit(file, &path), beside);
  assert_string_equal(path, model_path(name));
}

static void a_file_beside_it_that_cannot_be_read_is_named(void **state) {
  (void)state;
  assert_int_equal(mkdir(model_path("keras_metadata.pb"), 0700), 0);
  model_put(MODEL_INDEX, MODEL_DATA "model/" MODEL_INDEX, 3);
  assert_int_equal(unlink(model_path("fingerprint.pb")), 0);
  assert_int_equal(mkdir(model_path("fingerprint.pb"), 0700), 0);
  cpb_model_file *file = open_model(model_folder);
  assert_true(answers(file, CPB_ASK_NODES, "nodes"));
  blames(file, CPB_ASK_OVERVIEW, CPB_E_READ, CPB_BESIDE_KERAS_METADATA, "keras_metadata.pb");
  blames(file, CPB_ASK_LAYERS, CPB_E_READ, CPB_BESIDE_KERAS_METADATA, "keras_metadata.pb");
  cpb_model_file_leave_out(file, CPB_BESIDE_KERAS_METADATA);
  blames(file, CPB_ASK_OVERVIEW, CPB_E_DAMAGED, CPB_BESIDE_CHECKPOINT, MODEL_INDEX);
  cpb_model_file_leave_out(file, CPB_BESIDE_CHECKPOINT);
  blames(file, CPB_ASK_OVERVIEW, CPB_E_READ, CPB_BESIDE_FINGERPRINT, "fingerprint.pb");
  cpb_model_file_leave_out(file, CPB_BESIDE_FINGERPRINT);
  assert_true(answers(file, CPB_ASK_OVERVIEW, "signatures"));
  blames(file, (cpb_question_kind)99, CPB_E_USAGE, 0, "saved_model.pb");
  cpb_model_file_close(file);
}

/* --- Arrays ------------------------------------------------------------------------------------ */

/* How many bytes come; UINT64_MAX when that fails. */
static uint64_t count_values(cpb_values_file *values, cpb_error *error) {
  uint64_t count = 0;
  size_t size = 1;
  while (values && size > 0) {
    if (!cpb_values_file_read(values, &size, error)) return UINT64_MAX;
    count += size;
  }
  return values ? count : UINT64_MAX;
}

static void a_variable_has_its_values(void **state) {
  static const char *const names[] = {"root.v", "v", "v/.ATTRIBUTES/VARIABLE_VALUE"};
  (void)state;
  cpb_error error;
  cpb_model_file *file = open_model(model_folder);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    cpb_values_file *values = cpb_model_file_variable(file, names[i], strlen(names[i]), NULL, &error);
    assert_non_null(values);
    const cpb_values_info *info = cpb_values_file_info(values);
    assert_true(info->rank == 2 && info->shape[0] == 4 && info->shape[1] == 3 && info->size == 48);
    assert_int_equal(count_values(values, &error), 48);
    assert_int_equal(count_values(values, &error), 0);
    cpb_values_file_close(values);
  }
  assert_null(cpb_model_file_variable(file, "w", 1, NULL, &error));
  assert_int_equal(error.code, CPB_E_NOT_FOUND);
  cpb_model_file_close(file);
}

static void values_that_do_not_match_their_checksum_end_in_an_error(void **state) {
  (void)state;
  cpb_error error;
  const char *path;
  model_put(MODEL_VALUES, MODEL_DATA "model/" MODEL_VALUES, 40);
  cpb_model_file *file = open_model(model_folder);
  cpb_values_file *values = cpb_model_file_variable(file, "v", 1, NULL, &error);
  assert_int_equal(count_values(values, &error), UINT64_MAX);
  assert_int_equal(error.code, CPB_E_DAMAGED);
  assert_int_equal(cpb_model_file_culprit(file, &path), CPB_BESIDE_CHECKPOINT);
  assert_string_equal(path, model_path(MODEL_VALUES));
  assert_null(cpb_values_file_read(values, &(size_t){0}, &error));
  assert_int_equal(error.code, CPB_E_DAMAGED);
  cpb_values_file_close(values);
  cpb_model_file_close(file);
}

static void while_an_array_is_read_nothing_else_is(void **state) {
  (void)state;
  cpb_error error;
  cpb_model_file *file = open_model(MODEL_CPB);
  cpb_values_file *values = cpb_model_file_values(file, "Const_1", 7, NULL, &error);
  assert_non_null(values);
  assert_null(ask(file, CPB_ASK_OVERVIEW, NULL, &error));
  assert_int_equal(error.code, CPB_E_USAGE);
  assert_null(cpb_model_file_values(file, "Const_1", 7, NULL, &error));
  assert_int_equal(error.code, CPB_E_USAGE);
  assert_int_equal(count_values(values, &error), 34 * 34 * 4);
  cpb_values_file_close(values);
  assert_true(answers(file, CPB_ASK_OVERVIEW, "signatures"));
  assert_null(cpb_model_file_variable(file, "v", 1, NULL, &error));
  assert_int_equal(error.code, CPB_E_FORMAT); /* there is no checkpoint beside it */
  cpb_model_file_close(file);
}

/* --- Cancelling, and memory that fails ----------------------------------------------------------- */

static int count_down(void *user, uint64_t done, uint64_t total) {
  uint64_t *left = user;
  assert_true(total > 0 && done <= 4 * total);
  return (*left)-- == 0;
}

/* Whether it all went through before the last call of `left`. */
static bool goes_through(uint64_t left) {
  cpb_error error;
  cpb_model_file_options how = {.struct_size = sizeof how, .progress = count_down, .user = &left};
  cpb_model_file *file = cpb_model_file_open(NULL, MODEL_CPB, &how, &error);
  char *json = file ? ask(file, CPB_ASK_CONSTANTS, NULL, &error) : NULL;
  if (!json) assert_int_equal(error.code, CPB_E_CANCELLED);
  free(json);
  cpb_model_file_close(file);
  return json != NULL;
}

static void a_program_can_cancel_before_each_read(void **state) {
  (void)state;
  uint64_t calls = 0;
  while (!goes_through(calls)) calls++;
  assert_in_range(calls, 5, 1000);
}

static bool do_all(const cpb_allocator *a) {
  cpb_error error;
  size_t size;
  const cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
  cpb_model_file *file = cpb_model_file_open(a, model_folder, NULL, &error);
  bool done = file && cpb_model_file_ask(file, &question, &size, &error);
  cpb_values_file *values = done ? cpb_model_file_variable(file, "v", 1, NULL, &error) : NULL;
  done = count_values(values, &error) == 48;
  assert_int_equal(error.code, done ? CPB_OK : CPB_E_MEMORY);
  cpb_values_file_close(values);
  cpb_model_file_close(file);
  return done;
}

static void memory_that_fails_leaks_nothing(void **state) {
  (void)state;
  put_chunked();
  for (size_t fail_at = 1;; fail_at++) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    bool done = do_all(&a);
    assert_int_equal(done, f.calls < fail_at);
    assert_int_equal(f.blocks, 0);
    if (done) break;
  }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, model_folder_make, model_folder_remove)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(a_path_stands_for_a_file),
      IN_FOLDER(a_message_is_the_same_chunked_or_not),
      IN_FOLDER(the_rest_of_a_damaged_message_is_read),
      IN_FOLDER(a_damaged_model_answers_all_the_same),
      IN_FOLDER(a_model_answers_the_same_chunked_or_not),
      IN_FOLDER(files_beside_are_known),
      IN_FOLDER(a_model_on_an_open_file_has_nothing_beside_it),
      cmocka_unit_test(an_open_file_is_closed_when_it_is_no_model),
      IN_FOLDER(a_file_beside_it_that_cannot_be_read_is_named),
      IN_FOLDER(a_variable_has_its_values),
      IN_FOLDER(values_that_do_not_match_their_checksum_end_in_an_error),
      cmocka_unit_test(while_an_array_is_read_nothing_else_is),
      cmocka_unit_test(a_program_can_cancel_before_each_read),
      IN_FOLDER(memory_that_fails_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* cpb_diff: two models in memory, of which the bytes come in pieces that are gone when the engine
 * may no longer look at them. */
#include "model_case.h"

#include "cpb/diff.h"
#include "failing_allocator.h"
#include "stride.h"

typedef struct side {
  bytes message;
  uint8_t *lent; /* by lend(), which frees it when this side is needed again */
} side;

typedef struct comparison {
  cpb_model *models[2];
  cpb_diff *diff;
  side sides[2];
} comparison;

static bool begin(comparison *c, const cpb_allocator *a, bytes x, bytes y, const cpb_diff_options *how) {
  const cpb_model_options options = {.struct_size = sizeof options, .max_value = 16 << 10};
  *c = (comparison){.sides = {{.message = x}, {.message = y}}};
  for (int i = 0; i < 2; i++) c->models[i] = cpb_model_new(a, CPB_MODEL_SAVED_MODEL, &options);
  if (c->models[0] && c->models[1]) c->diff = cpb_diff_new(a, c->models[0], c->models[1], how);
  return c->diff != NULL;
}

static void end(comparison *c) {
  cpb_diff_free(c->diff);
  for (int i = 0; i < 2; i++) {
    cpb_model_free(c->models[i]);
    free(c->sides[i].lent);
  }
}

static void lend_side(comparison *c, size_t piece) {
  side *s = &c->sides[cpb_diff_side(c->diff)];
  s->lent = lend(cpb_diff_input(c->diff), s->message, piece, s->lent);
}

static cpb_step run(comparison *c, size_t piece) {
  cpb_step step;
  while ((step = cpb_diff_step(c->diff)) == CPB_STEP_NEED) lend_side(c, piece);
  return step;
}

/* The result as a string, to be freed. */
static char *result_of(bytes x, bytes y, size_t piece, const cpb_diff_options *how, bool equal) {
  comparison c;
  size_t size;
  assert_true(begin(&c, NULL, x, y, how));
  assert_null(cpb_diff_result(c.diff, &size));
  assert_int_equal(run(&c, piece), CPB_STEP_DONE);
  assert_int_equal(cpb_diff_step(c.diff), CPB_STEP_DONE);
  assert_int_equal(cpb_diff_equal(c.diff), equal);
  const char *json = cpb_diff_result(c.diff, &size);
  char *copy = calloc(size + 1, 1);
  memcpy(copy, json, size);
  end(&c);
  return copy;
}

#define CONSTANT 80000 /* bytes of the constant: more than are compared at once */

/* The model with `count` values of its constant changed. */
static bytes changed(bytes model, size_t count) {
  bytes other = {malloc(model.size), model.size}, content = noise(CONSTANT, 7);
  memcpy(other.data, model.data, model.size);
  size_t at = 0;
  while (memcmp(other.data + at, content.data, 64) != 0) at++;
  for (size_t i = 0; i < count; i++) other.data[at + CONSTANT - 4 * (i + 1)] ^= 1;
  free(content.data);
  return other;
}

static void has(const char *json, const char *part) {
  const char *section = strstr(json, "{\"section\":\"constants\"");
  if (!strstr(json, part)) fail_msg("%s is not in the result, where constants are %.400s", part, section);
}

/* --- Results ------------------------------------------------------------------------- */

static void a_model_is_equal_to_itself(void **state) {
  (void)state;
  bytes model = saved_model_of(CONSTANT);
  char *json = result_of(model, model, SIZE_MAX, NULL, true);
  has(json, "{\"a\":\"SavedModel\",\"b\":\"SavedModel\",\"values\":true,\"sections\":[{\"section\":\"meta_graphs\"");
  has(json,
      "{\"section\":\"constants\",\"meta_graph\":0,\"differences\":[],\"added\":0,\"removed\":0,\"changed\":0,"
      "\"same\":1}");
  has(json, "],\"left_out\":{\"sections\":2,\"same\":4},\"equal\":true}");
  free(json);
  free(model.data);
}

static void values_that_differ_are_counted(void **state) {
  (void)state;
  const cpb_diff_options no_values = {.struct_size = sizeof no_values, .skip_values = 1};
  bytes model = saved_model_of(CONSTANT), other = changed(model, 3);
  char *json = result_of(model, other, SIZE_MAX, NULL, false);
  has(json,
      "\"differences\":[{\"change\":\"changed\",\"name\":\"weights\",\"members\":[{\"member\":\"values\","
      "\"different\":3,\"of\":20000,\"largest\":{\"difference\":");
  has(json, "\"added\":0,\"removed\":0,\"changed\":1,\"same\":0}");
  free(json);
  json = result_of(model, other, SIZE_MAX, &no_values, true);
  has(json, "\"values\":false");
  free(json);
  free(model.data);
  free(other.data);
}

static void pieces_of_any_size_give_the_same_result(void **state) {
  static const size_t pieces[] = {1, 3, 100, 5000};
  (void)state;
  bytes model = saved_model_of(CONSTANT), other = changed(model, 3);
  char *json = result_of(model, other, SIZE_MAX, NULL, false);
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    char *same = result_of(model, other, pieces[i], NULL, false);
    assert_string_equal(json, same);
    free(same);
  }
  free(json);
  free(model.data);
  free(other.data);
}

static void differences_are_listed_up_to_a_number(void **state) {
  (void)state;
  const cpb_diff_options one = {.struct_size = sizeof one, .max_differences = 1};
  bytes model = saved_model_of(400), none = int_field(SAVED_MODEL_VERSION, 1);
  put_message(&none, SAVED_MODEL_META_GRAPHS, message_field(META_GRAPH_INFO, info_of()));
  char *json = result_of(model, none, SIZE_MAX, &one, false);
  const char *nodes = strstr(json, "{\"section\":\"nodes\"");
  assert_non_null(nodes);
  assert_non_null(strstr(nodes, "\"removed\":4"));
  assert_true(strstr(strstr(nodes, "\"change\"") + 1, "\"change\"") > strstr(nodes, "\"removed\":4"));
  free(json);
  free(model.data);
  free(none.data);
}

static void models_of_different_kinds_are_not_read(void **state) {
  (void)state;
  size_t size;
  cpb_model *a = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL), *b = cpb_model_new(NULL, CPB_MODEL_GRAPH_DEF, NULL);
  assert_int_equal(cpb_model_get_kind(b), CPB_MODEL_GRAPH_DEF);
  cpb_diff *diff = cpb_diff_new(NULL, a, b, NULL);
  assert_int_equal(cpb_diff_step(diff), CPB_STEP_DONE);
  assert_false(cpb_diff_equal(diff));
  const char *json = cpb_diff_result(diff, &size);
  static const char expected[] =
      "{\"a\":\"SavedModel\",\"b\":\"GraphDef\",\"values\":true,\"sections\":[],\"left_out\":{\"sections\":0,\"same\":0},\"equal\":false}";
  assert_int_equal(size, sizeof expected - 1);
  assert_memory_equal(json, expected, size);
  cpb_diff_free(diff);
  cpb_model_free(a);
  cpb_model_free(b);
}

/* --- What goes wrong ---------------------------------------------------------------------- */

/* Fails the n-th need; false when there are fewer. */
static bool fails_at(bytes x, bytes y, size_t n) {
  comparison c;
  cpb_step step;
  size_t needs = 0;
  int failed = -1;
  assert_true(begin(&c, NULL, x, y, NULL));
  while ((step = cpb_diff_step(c.diff)) == CPB_STEP_NEED) {
    int which = cpb_diff_side(c.diff);
    if (++needs == n) failed = which;
    if (needs == n) cpb_input_fail(cpb_diff_input(c.diff), CPB_E_READ, "no cable");
    else lend_side(&c, SIZE_MAX);
  }
  if (failed >= 0) {
    assert_int_equal(step, CPB_STEP_ERROR);
    assert_int_equal(cpb_diff_error(c.diff)->code, CPB_E_READ);
    assert_string_equal(cpb_diff_error(c.diff)->message, "no cable");
    assert_int_equal(cpb_diff_side(c.diff), failed);
    assert_int_equal(cpb_diff_step(c.diff), CPB_STEP_ERROR);
    assert_false(cpb_diff_equal(c.diff));
  }
  end(&c);
  return failed >= 0;
}

static void a_failed_read_is_the_error_of_its_side(void **state) {
  (void)state;
  bytes model = saved_model_of(CONSTANT), other = changed(model, 1);
  size_t n = 1;
  while (fails_at(model, other, n)) n++;
  assert_in_range(n, 10, 10000);
  free(model.data);
  free(other.data);
}

static void memory_that_fails_leaks_nothing(void **state) {
  (void)state;
  bytes model = saved_model_of(400), other = saved_model_of(800);
  for (size_t fail_at = 1;; fail_at += sanitized_stride(4)) {
    failing_allocator f = {.fail_at = fail_at};
    const cpb_allocator a = failing_allocator_of(&f);
    comparison c;
    bool begun = begin(&c, &a, model, other, NULL), done = begun && run(&c, SIZE_MAX) == CPB_STEP_DONE;
    if (begun && !done) assert_int_equal(cpb_diff_error(c.diff)->code, CPB_E_MEMORY);
    end(&c);
    assert_int_equal(f.blocks, 0);
    if (f.calls >= fail_at) continue; /* what a model cannot note among its problems fails nothing */
    assert_true(done);
    break;
  }
  free(model.data);
  free(other.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_is_equal_to_itself),
      cmocka_unit_test(values_that_differ_are_counted),
      cmocka_unit_test(pieces_of_any_size_give_the_same_result),
      cmocka_unit_test(differences_are_listed_up_to_a_number),
      cmocka_unit_test(models_of_different_kinds_are_not_read),
      cmocka_unit_test(a_failed_read_is_the_error_of_its_side),
      cmocka_unit_test(memory_that_fails_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "failing_allocator.h"
#include "keras_message.h"

typedef struct answer {
  cpb_model *model;
  yyjson_doc *doc;
  cpb_allocator allocator;
} answer;

static answer *get(const keras_message *m, cpb_question_kind kind, const char *name) {
  answer *a = calloc(1, sizeof *a);
  size_t size;
  cpb_error error = {.code = CPB_OK};
  a->allocator = cpb_allocator_or_default(NULL);
  a->model = cpb_model_new(NULL, CPB_MODEL_KERAS_METADATA, NULL);
  if (keras_ask(a->model, m, kind, name, SIZE_MAX) != CPB_STEP_DONE) fail_msg("%s", cpb_model_error(a->model)->message);
  const char *json = cpb_model_answer(a->model, &size);
  a->doc = cpb_json_read(&a->allocator, (cpb_span){(const uint8_t *)json, size}, 1000, &error);
  if (!a->doc) fail_msg("%s: %.*s", error.message, (int)size, json);
  return a;
}

static void done(answer *a) {
  yyjson_doc_free(a->doc);
  cpb_model_free(a->model);
  free(a);
}

/* The value at a path such as "layers.items.0.name". */
static yyjson_val *at(const answer *a, const char *path) {
  yyjson_val *value = yyjson_doc_get_root(a->doc);
  char part[64];
  for (const char *end; value && *path; path = *end ? end + 1 : end) {
    end = path + strcspn(path, ".");
    snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    value = yyjson_is_arr(value) ? yyjson_arr_get(value, strtoul(part, NULL, 10)) : yyjson_obj_get(value, part);
  }
  if (!value) fail_msg("nothing at %s", path);
  return value;
}

static void expect_text(const answer *a, const char *path, const char *text) {
  yyjson_val *value = at(a, path);
  if (!yyjson_is_str(value) || strcmp(yyjson_get_str(value), text) != 0)
    fail_msg("%s: %s", path, yyjson_is_str(value) ? yyjson_get_str(value) : "no text");
}

static void expect_number(const answer *a, const char *path, int64_t number) {
  int64_t found = -1;
  if (!cpb_json_signed(at(a, path), &found) || found != number) fail_msg("%s: %lld", path, (long long)found);
}

static void expect_count(const answer *a, const char *path, size_t count) {
  size_t found = yyjson_arr_size(at(a, path));
  if (found != count) fail_msg("%s has %zu elements", path, found);
}

static void expect_problem(const answer *a, size_t i, const char *part) {
  char path[32];
  snprintf(path, sizeof path, "problems.%zu.text", i);
  const char *text = yyjson_get_str(at(a, path));
  if (!strstr(text, part)) fail_msg("problem %zu: %s", i, text);
}

/* --- Connections ------------------------------------------------------------------ */

#define MODEL(layers) "{\"class_name\":\"Functional\",\"config\":{\"name\":\"m\",\"layers\":[" layers "]}}"
#define ENTRY(name, calls) "{\"class_name\":\"Dense\",\"config\":{},\"name\":\"" name "\",\"inbound_nodes\":" calls "}"

/* Each form that Keras has given to the calls of a layer. */
#define OLD_CALLS "[[[\"x\",0,0,{}],[\"x\",0,1,{}]],[[\"x\",1,0,{\"mask\":[\"x\",2,3]}]]]"
#define ONE_CALL "[[\"x\",0,0,{}]]"
#define CONSTANT_CALL "[[[\"_CONSTANT_VALUE\",-1,2,{\"y\":[\"x\",0,4]}]]]"
#define NAMED_CALL "[{\"query\":[\"x\",0,0],\"value\":[\"x\",0,1]}]"
#define NEW_TENSOR "{\"shape\":[null,4],\"dtype\":\"float32\",\"keras_history\":[\"x\",0,7]}"
#define NEW_CALL "[{\"args\":[{\"class_name\":\"__keras_tensor__\",\"config\":" NEW_TENSOR "},2.0],\"kwargs\":{}}]"

static void every_form_of_a_reference_is_found(void **state) {
  (void)state;
  static const char old[] = ENTRY("x", "[]") "," ENTRY("old", OLD_CALLS) "," ENTRY("alone", ONE_CALL);
  static const char new[] = ENTRY("constant", CONSTANT_CALL) "," ENTRY("named", NAMED_CALL) "," ENTRY("new", NEW_CALL);
  char model[2048];
  snprintf(model, sizeof model, MODEL("%s,%s"), old, new);
  static keras_message m = {0};
  keras_add_as(&m, 0, "root", "_tf_keras_network", model);
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_number(a, "layers.total", 7);
  expect_count(a, "layers.items.1.inputs", 0);
  expect_count(a, "layers.items.2.inputs", 2);
  expect_count(a, "layers.items.2.inputs.0", 2);
  expect_number(a, "layers.items.2.inputs.0.1.tensor_index", 1);
  expect_count(a, "layers.items.2.inputs.1", 2);
  expect_number(a, "layers.items.2.inputs.1.1.node_index", 2);
  expect_text(a, "layers.items.3.inputs.0.0.layer", "x");
  expect_count(a, "layers.items.4.inputs.0", 1);
  expect_number(a, "layers.items.4.inputs.0.0.tensor_index", 4);
  expect_count(a, "layers.items.5.inputs.0", 2);
  expect_count(a, "layers.items.6.inputs.0", 1);
  expect_number(a, "layers.items.6.inputs.0.0.tensor_index", 7);
  done(a);
}

static void layers_of_a_sequential_follow_each_other(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add_as(
      &m, 0, "root", "_tf_keras_sequential",
      "{\"class_name\":\"Sequential\",\"config\":{\"layers\":[{\"class_name\":\"A\",\"config\":{\"name\":\"a\"}},"
      "{\"class_name\":\"B\",\"config\":{\"name\":\"b\"}},{\"class_name\":\"C\",\"config\":{\"name\":\"c\"}}]}}");
  keras_add(&m, 1, "root.layer-1", "{\"class_name\":\"B\",\"name\":\"b\"}");
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_count(a, "layers.items.1.inputs", 0);
  expect_text(a, "layers.items.2.inputs.0.0.layer", "a");
  expect_text(a, "layers.items.3.inputs.0.0.layer", "b");
  expect_text(a, "layers.items.2.path", "root.layer-1");
  assert_true(yyjson_is_null(at(a, "layers.items.3.path")));
  expect_text(a, "layers.items.3.class", "C");
  done(a);
}

static void a_layer_of_two_models_is_counted_once(void **state) {
  (void)state;
  static keras_message m = {0};
#define DENSE "{\"class_name\":\"Dense\",\"name\":\"d\",\"config\":{\"units\":3},\"build_input_shape\":[null,4]}"
#define WITH \
  "{\"class_name\":\"Functional\",\"name\":\"n\",\"config\":{\"layers\":[{\"class_name\":\"Dense\",\"name\":\"d\"}]}}"
  keras_add_as(&m, 0, "root", "_tf_keras_network", MODEL(ENTRY("n", "[]")));
  keras_add_as(&m, 1, "root.layer-0", "_tf_keras_network", WITH);
  keras_add_as(&m, 2, "root.layer-1", "_tf_keras_network", WITH);
  keras_add(&m, 3, "root.layer-1.layer-0", DENSE);
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_number(a, "layers.total", 5);
  expect_number(a, "layers.items.0.parameters", 15);
  expect_number(a, "layers.items.1.parameters", 15);
  expect_number(a, "layers.items.3.parameters", 15);
  assert_true(yyjson_is_true(at(a, "layers.items.2.shared")) != yyjson_is_true(at(a, "layers.items.4.shared")));
  done(a);
}

/* --- What is wrong ------------------------------------------------------------------- */

static void problems_are_listed_and_the_rest_is_shown(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add(&m, 5, "root", "{\"name\":\"r\"}");
  keras_add(&m, 6, "root.a", "not JSON");
  keras_add(&m, 6, "root.b", "[1]");
  keras_add(&m, 3, "root.b", "{\"name\":\"second\"}");
  keras_add(&m, -1, "root.c", "");
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_number(a, "layers.total", 5);
  expect_count(a, "problems", 6);
  expect_problem(a, 0, "root.b: node_id is less than that of the object before it");
  expect_problem(a, 1, "root.c: node_id is negative");
  expect_problem(a, 2, "root.b: another object has the same node_id");
  expect_problem(a, 3, "root.b: another object has the same node_path");
  expect_problem(a, 4, "root.a: metadata: not JSON");
  expect_problem(a, 5, "root.b: metadata is not a JSON object");
  expect_text(a, "layers.items.3.name", "second");
  done(a);
}

static void names_with_control_characters_stay_text(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add(&m, 0, "root", "{\"name\":\"\\u0001<b>\\u2028\\\"\",\"config\":{\"\\u0000k\":\"\\ud83d\\ude00\"}}");
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_text(a, "layers.items.0.name", "\x01<b>\xe2\x80\xa8\"");
  assert_int_equal(yyjson_obj_size(at(a, "layers.items.0.config")), 1);
  done(a);
}

static void metadata_nested_too_deep_are_a_problem(void **state) {
  (void)state;
  static keras_message m = {0};
  char deep[512];
  snprintf(deep, sizeof deep, "{\"config\":%0*d%0*d}", 101, 0, 101, 0);
  memset(deep + 10, '[', 101);
  memset(deep + 111, ']', 101);
  keras_add(&m, 0, "root", deep);
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_problem(a, 0, "nested deeper than the limit of 100");
  done(a);
}

static void layers_nested_too_deep_are_left_out(void **state) {
  (void)state;
  static keras_message m = {0};
  char path[1024] = "root";
  for (int i = 0; i < 150; i++) {
    keras_add(&m, i, path, "{}");
    strcat(path, ".x");
  }
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_number(a, "layers.total", 101);
  expect_problem(a, 0, "nested too deeply");
  done(a);
}

static void numbers_that_overflow_are_not_counted(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add(&m, 0, "root",
            "{\"class_name\":\"Embedding\",\"config\":{\"input_dim\":9223372036854775807,\"output_dim\":3}}");
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  assert_true(yyjson_is_false(at(a, "layers.items.0.parameters_complete")));
  expect_number(a, "layers.items.0.parameters", 0);
  done(a);
}

static void numbers_that_are_no_json_go_as_text(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add(&m, 0, "root",
            "{\"config\":{\"a\":NaN,\"b\":-Infinity,\"c\":1e-7,\"d\":{\"class_name\":\"__tuple__\",\"items\":[1]}}}");
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_text(a, "layers.items.0.config.a", "NaN");
  expect_text(a, "layers.items.0.config.b", "-Infinity");
  assert_string_equal(yyjson_get_raw(at(a, "layers.items.0.config.c")), "1e-7");
  expect_number(a, "layers.items.0.config.d.0", 1);
  done(a);
}

static void expect_failure(const keras_message *m, cpb_question_kind kind, const char *name, cpb_code code,
                           const char *part) {
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_KERAS_METADATA, NULL);
  assert_int_equal(keras_ask(model, m, kind, name, SIZE_MAX), CPB_STEP_ERROR);
  const cpb_error *error = cpb_model_error(model);
  if (error->code != code || !strstr(error->message, part))
    fail_msg("%s: %s", cpb_code_name(error->code), error->message);
  cpb_model_free(model);
}

static void questions_without_an_answer_say_why(void **state) {
  (void)state;
  static keras_message m = {0}, other = {.bytes = {8, 1}, .size = 2};
  keras_add(&m, 0, "root", "{}");
  expect_failure(&m, CPB_ASK_LOAD, "root.x", CPB_E_NOT_FOUND, "root.x");
  expect_failure(&m, CPB_ASK_LOAD, "x", CPB_E_USAGE, "expected one that begins with root");
  expect_failure(&m, CPB_ASK_LOAD, "\n", CPB_E_USAGE, "expected paths of nodes");
  expect_failure(&m, CPB_ASK_LAYERS, "x", CPB_E_NOT_FOUND, "no layer");
  expect_failure(&m, CPB_ASK_NODES, NULL, CPB_E_UNSUPPORTED, "question \"nodes\" is not supported");
  expect_failure(&other, CPB_ASK_LAYERS, NULL, CPB_E_FORMAT, "not a keras_metadata.pb");
}

static void damage_ends_the_list_and_is_told(void **state) {
  (void)state;
  static keras_message m = {0};
  keras_add(&m, 0, "root", "{\"name\":\"r\"}");
  size_t whole = m.size;
  keras_add(&m, 1, "root.a", "{}");
  m.size -= 3;
  answer *a = get(&m, CPB_ASK_LAYERS, NULL);
  expect_number(a, "layers.total", 1);
  expect_problem(a, 0, "cannot be parsed from here on");
  expect_number(a, "problems.0.offset", (int64_t)whole);
  done(a);
}

/* --- Memory and input ------------------------------------------------------------------ */

static void fill(keras_message *m) {
  keras_add_as(m, 0, "root", "_tf_keras_network", MODEL(ENTRY("d", "[[[\"x\",0,0,{}]]]")));
  keras_add(m, 1, "root.layer-0", DENSE);
  keras_add_as(m, 2, "root.metrics.0", "_tf_keras_metric", "{\"class_name\":\"Mean\",\"name\":\"loss\"}");
}

static const struct {
  cpb_question_kind kind;
  const char *name;
} all_questions[] = {{CPB_ASK_OVERVIEW, NULL}, {CPB_ASK_LAYERS, NULL}, {CPB_ASK_LOAD, "root"}, {CPB_ASK_SEARCH, "d"}};

static void pieces_of_any_size_give_the_same_answer(void **state) {
  (void)state;
  static keras_message m = {0};
  fill(&m);
  for (size_t q = 0; q < 4; q++) {
    char *first = NULL;
    size_t size, first_size = 0;
    for (size_t piece = m.size; piece > 0; piece = piece / 3) {
      cpb_model *model = cpb_model_new(NULL, CPB_MODEL_KERAS_METADATA, NULL);
      assert_int_equal(keras_ask(model, &m, all_questions[q].kind, all_questions[q].name, piece), CPB_STEP_DONE);
      const char *json = cpb_model_answer(model, &size);
      if (!first) {
        first = malloc(first_size = size);
        memcpy(first, json, size);
      }
      assert_int_equal(size, first_size);
      assert_memory_equal(json, first, size);
      cpb_model_free(model);
    }
    free(first);
  }
}

static void memory_for_metadata_is_bounded(void **state) {
  (void)state;
  static keras_message m = {0};
  static char list[30002]; /* which takes eight times its size */
  memset(list, ',', sizeof list - 1);
  for (size_t i = 1; i < sizeof list - 1; i += 2) list[i] = '1';
  list[0] = '[';
  list[sizeof list - 2] = ']';
  keras_add(&m, 0, "root", list);
  for (uint64_t most = 1000; most <= 1000000; most *= 10) {
    cpb_model_options options = {.struct_size = sizeof options, .max_memory = most};
    cpb_model *model = cpb_model_new(NULL, CPB_MODEL_KERAS_METADATA, &options);
    cpb_step step = keras_ask(model, &m, CPB_ASK_LAYERS, NULL, SIZE_MAX);
    assert_int_equal(step, most < 1000000 ? CPB_STEP_ERROR : CPB_STEP_DONE);
    assert_int_equal(cpb_model_error(model)->code, most < 1000000 ? CPB_E_LIMIT : CPB_OK);
    cpb_model_free(model);
  }
}

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  static keras_message m = {0};
  fill(&m);
  for (size_t q = 0; q < 4; q++) {
    cpb_step step = CPB_STEP_ERROR;
    for (size_t n = 1; step != CPB_STEP_DONE; n++) {
      failing_allocator f = {.fail_at = n};
      cpb_allocator a = failing_allocator_of(&f);
      cpb_model *model = cpb_model_new(&a, CPB_MODEL_KERAS_METADATA, NULL);
      if (model) {
        step = keras_ask(model, &m, all_questions[q].kind, all_questions[q].name, 50);
        if (step != CPB_STEP_DONE) assert_int_equal(cpb_model_error(model)->code, CPB_E_MEMORY);
        if (step != CPB_STEP_DONE) /* and asked again it answers */
          assert_int_equal(keras_ask(model, &m, all_questions[q].kind, all_questions[q].name, 50), CPB_STEP_DONE);
      }
      cpb_model_free(model);
      assert_int_equal(f.blocks, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_of_a_reference_is_found),
      cmocka_unit_test(layers_of_a_sequential_follow_each_other),
      cmocka_unit_test(a_layer_of_two_models_is_counted_once),
      cmocka_unit_test(problems_are_listed_and_the_rest_is_shown),
      cmocka_unit_test(names_with_control_characters_stay_text),
      cmocka_unit_test(metadata_nested_too_deep_are_a_problem),
      cmocka_unit_test(layers_nested_too_deep_are_left_out),
      cmocka_unit_test(numbers_that_overflow_are_not_counted),
      cmocka_unit_test(numbers_that_are_no_json_go_as_text),
      cmocka_unit_test(questions_without_an_answer_say_why),
      cmocka_unit_test(damage_ends_the_list_and_is_told),
      cmocka_unit_test(pieces_of_any_size_give_the_same_answer),
      cmocka_unit_test(memory_for_metadata_is_bounded),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

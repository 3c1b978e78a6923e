/* Tables of operators: what is found in them, also in ones that nobody wrote, and that nothing else depends on them. */
#include "model_case.h"

#include "model/common/spans.h"
#include "model/operators/operators.h"

static const char table[] =
    "Add\t\t:x,y\tReturns x + y.\n"
    "Add\tother\t1 7:a,b 9\tAdds.\n"
    "Batch\t\t1:X,mean 6 14:X,input_mean,more* 15\tNormalizes.\n"
    "Parse\t\t:serialized,keys*N,last\t\n"
    "Scan\t\t8:lens,state* 9: 11\tScans.\n";

static cpb_span text_of(const char *text) { return cpb_span_of(text); }

static cpb_operator find(const char *name, const char *domain) {
  cpb_operator found;
  assert_true(cpb_operator_find(text_of(table), text_of(name), text_of(domain), &found));
  return found;
}

static void is(cpb_span span, const char *text) {
  if (!cpb_span_is(span, text)) fail_msg("%.*s is not %s", (int)span.size, (const char *)span.data, text);
}

static void operators_are_found_by_name_and_domain(void **state) {
  (void)state;
  cpb_operator found;
  static const char *const missing[][2] = {{"Ad", ""}, {"Adds", ""},  {"Add", "othe"}, {"Add", "others"}, {"", ""},
                                           {"A", ""},  {"Scan", "x"}, {"Z", ""},       {"Batch", "other"}};
  is(find("Add", "").sentence, "Returns x + y.");
  is(find("Add", "other").sentence, "Adds.");
  is(find("Parse", "").sentence, "");
  is(find("Scan", "").sentence, "Scans.");
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
    assert_false(cpb_operator_find(text_of(table), text_of(missing[i][0]), text_of(missing[i][1]), &found));
}

static void inputs_are_those_of_the_version(void **state) {
  (void)state;
  uint64_t since;
  const cpb_operator batch = find("Batch", ""), scan = find("Scan", ""), add = find("Add", "");
  static const struct {
    uint64_t version, since;
    const char *inputs;
  } cases[] = {{0, 0, ""},
               {1, 1, "X,mean"},
               {5, 1, "X,mean"},
               {13, 6, "X,mean"},
               {14, 14, "X,input_mean,more*"},
               {UINT64_MAX, 15, "X,input_mean,more*"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    is(cpb_operator_inputs(&batch, cases[i].version, &since), cases[i].inputs);
    assert_int_equal(since, cases[i].since);
  }
  is(cpb_operator_inputs(&scan, 8, &since), "lens,state*");
  is(cpb_operator_inputs(&scan, 12, &since), "");
  is(cpb_operator_inputs(&add, 0, &since), "x,y");
  assert_int_equal(since, 0);
}

static void next_is(cpb_span *inputs, const char *name, const char *attribute, uint64_t count) {
  cpb_operator_input input;
  assert_true(cpb_operator_next_input(inputs, &input));
  is(input.name, name);
  is(input.attribute, attribute);
  assert_int_equal(input.count, count);
}

static void inputs_may_be_several(void **state) {
  (void)state;
  cpb_operator_input input;
  const cpb_operator parse = find("Parse", ""), batch = find("Batch", "");
  uint64_t since;
  cpb_span inputs = cpb_operator_inputs(&parse, 0, &since);
  next_is(&inputs, "serialized", "", 1);
  next_is(&inputs, "keys", "N", 0);
  next_is(&inputs, "last", "", 1);
  assert_false(cpb_operator_next_input(&inputs, &input));
  inputs = cpb_operator_inputs(&batch, 20, &since);
  next_is(&inputs, "X", "", 1);
  next_is(&inputs, "input_mean", "", 1);
  next_is(&inputs, "more", "", UINT64_MAX);
}

/* --- What nobody wrote ------------------------------------------------------------------- */

/* All that is made of a table, in memory that ends where it does. */
static void look_at(const uint8_t *data, size_t size) {
  uint8_t *copy = malloc(size > 0 ? size : 1);
  static const char *const names[] = {"Add", "Batch", "Parse", "", "~~~", "\n"};
  memcpy(copy, data, size);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    uint64_t since;
    cpb_operator found;
    cpb_operator_input input;
    if (!cpb_operator_find((cpb_span){copy, size}, text_of(names[i]), text_of(i % 2 ? "" : "other"), &found)) continue;
    cpb_span inputs = cpb_operator_inputs(&found, 13, &since);
    assert_true(found.sentence.size <= size && since <= 13);
    while (cpb_operator_next_input(&inputs, &input)) assert_true(input.name.size + input.attribute.size <= size);
  }
  free(copy);
}

static void any_bytes_are_a_table(void **state) {
  (void)state;
  uint8_t data[sizeof table];
  static const uint8_t signs[] = {'\t', '\n', ' ', ':', ',', '*', '=', '.', '9', 'A', 0, 255};
  for (size_t size = 0; size < sizeof table; size++) look_at((const uint8_t *)table, size);
  for (size_t at = 0; at < sizeof table - 1; at++) {
    for (size_t i = 0; i < sizeof signs; i++) {
      memcpy(data, table, sizeof table);
      data[at] = signs[i];
      look_at(data, sizeof table - 1);
    }
  }
  for (size_t i = 0; i < sizeof signs; i++) {
    memset(data, signs[i], sizeof data);
    look_at(data, sizeof data);
  }
  look_at((const uint8_t *)"Add\t\t99999999999999999999:x*,,*,\t", 32);
}

static void lines_of_a_table_are_in_order(cpb_span all, size_t least) {
  cpb_operator found;
  size_t count = 0;
  for (cpb_span rest = all; rest.size > 0; count++) {
    const size_t line = (size_t)((const uint8_t *)memchr(rest.data, '\n', rest.size) - rest.data);
    const size_t name = (size_t)((const uint8_t *)memchr(rest.data, '\t', line) - rest.data);
    const uint8_t *domain = rest.data + name + 1, *end = memchr(domain, '\t', line - name - 1);
    assert_true(
        cpb_operator_find(all, (cpb_span){rest.data, name}, (cpb_span){domain, (size_t)(end - domain)}, &found));
    assert_ptr_equal(found.versions.data, end + 1);
    rest = cpb_span_from(rest, line + 1);
  }
  assert_true(count > least);
}

static void all_that_is_built_in_is_found(void **state) {
  (void)state;
  lines_of_a_table_are_in_order(cpb_operators_onnx(), 200);
  lines_of_a_table_are_in_order(cpb_operators_tensorflow(), 1000);
  lines_of_a_table_are_in_order(cpb_operators_coreml(), 150);
}

/* --- Models -------------------------------------------------------------------------------- */

/* Of a model whose message is in memory; to be freed. */
static char *answer_of(cpb_model *model, bytes message, cpb_question_kind kind, const char *name) {
  size_t size;
  cpb_step step;
  const cpb_question q = {
      .struct_size = sizeof q, .kind = kind, .name = name, .name_size = name ? strlen(name) : 0, .count = 1000};
  cpb_model_ask(model, &q);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) {
    cpb_input_supply(cpb_model_input(model), 0, message.data, message.size);
    cpb_input_end(cpb_model_input(model), message.size);
  }
  assert_int_equal(step, CPB_STEP_DONE);
  const char *json = cpb_model_answer(model, &size);
  char *text = malloc(size + 1);
  memcpy(text, json, size);
  text[size] = 0;
  return text;
}

static void has(cpb_model *model, bytes message, const char *part, bool expected) {
  char *text = answer_of(model, message, CPB_ASK_NODE, "sum");
  if ((strstr(text, part) != NULL) != expected) fail_msg("%s %s %s", text, expected ? "lacks" : "has", part);
  free(text);
}

/* GraphDef: sum = Add(a, a), waiting for b. */
static bytes graph_of_a_sum(void) {
  bytes graph = {NULL, 0}, sum = node_of("sum", "Add", "a");
  put_text(&sum, NODE_INPUT, "a");
  put_text(&sum, NODE_INPUT, "^b");
  put_message(&graph, GRAPH_NODE, constant_of("a", 8));
  put_message(&graph, GRAPH_NODE, constant_of("b", 8));
  put_message(&graph, GRAPH_NODE, sum);
  return graph;
}

static void a_table_can_be_given(void **state) {
  (void)state;
  static const char given[] = "Add\t\t:left,right\tA sentence with \"quotes\".\n";
  const bytes graph = graph_of_a_sum();
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_GRAPH_DEF, NULL);
  has(model, graph, "\"role\":\"y\"", true);
  assert_true(cpb_model_set_operators(model, given, sizeof given - 1));
  has(model, graph, "\"role\":\"right\"", true);
  has(model, graph, "\"parameters\":[\"left\",\"right\"]", true);
  has(model, graph, "\"summary\":\"A sentence with \\\"quotes\\\".\"", true);
  assert_true(cpb_model_set_operators(model, "nonsense", 8));
  has(model, graph, "\"role\"", false);
  has(model, graph, "\"operation\"", false);
  assert_true(cpb_model_set_operators(model, NULL, 0));
  has(model, graph, "\"parameters\"", false);
  cpb_model_free(model);
  model = cpb_model_new(NULL, CPB_MODEL_SAMEDIFF_ZIP, NULL);
  assert_false(cpb_model_set_operators(model, given, sizeof given - 1));
  cpb_model_free(model);
  free(graph.data);
}

/* What each counts as, how many there are, in which layers and scopes. */
static void no_count_depends_on_a_table(void **state) {
  (void)state;
  static const cpb_question_kind kinds[] = {CPB_ASK_OVERVIEW, CPB_ASK_CONSTANTS, CPB_ASK_LAYERS,   CPB_ASK_SCOPES,
                                            CPB_ASK_OPS,      CPB_ASK_FUNCTIONS, CPB_ASK_VARIABLES};
  const bytes message = saved_model_of(5000);
  cpb_model *with = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  cpb_model *without = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  assert_true(cpb_model_set_operators(without, NULL, 0));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    char *a = answer_of(with, message, kinds[i], NULL), *b = answer_of(without, message, kinds[i], NULL);
    assert_string_equal(a, b);
    free(a);
    free(b);
  }
  cpb_model_free(with);
  cpb_model_free(without);
  free(message.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operators_are_found_by_name_and_domain),
      cmocka_unit_test(inputs_are_those_of_the_version),
      cmocka_unit_test(inputs_may_be_several),
      cmocka_unit_test(any_bytes_are_a_table),
      cmocka_unit_test(all_that_is_built_in_is_found),
      cmocka_unit_test(a_table_can_be_given),
      cmocka_unit_test(no_count_depends_on_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

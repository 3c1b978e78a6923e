/* Questions about models: how they are read, and what hostile ones do. */
#include "model_case.h"

#include "cpb/message.h"
#include "failing_allocator.h"

/* --- Asking --------------------------------------------------------------------- */

typedef struct host {
  bytes message;
  uint64_t hole, hole_size; /* zeros in the message, which are not in memory */
  size_t piece;             /* 0: as much as is hinted at */
  uint64_t requests, lent;
  uint8_t *buffer;
} host;

static uint64_t size_of(const host *h) { return h->message.size + h->hole_size; }

static uint8_t byte_at(const host *h, uint64_t at) {
  if (at >= h->hole && at - h->hole < h->hole_size) return 0;
  return h->message.data[at < h->hole ? at : at - h->hole_size];
}

static void answer(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  h->requests++;
  cpb_input_end(input, size_of(h));
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.offset < size_of(h) && need.ahead <= size_of(h) - need.offset && need.ahead >= need.length);
  size_t length = h->piece && h->piece < need.ahead ? h->piece : (size_t)need.ahead;
  free(h->buffer);
  h->buffer = malloc(length);
  for (size_t i = 0; i < length; i++) h->buffer[i] = byte_at(h, need.offset + i);
  h->lent += length;
  cpb_input_supply(input, need.offset, h->buffer, length);
}

static cpb_step ask(cpb_model *model, host *h, cpb_question_kind kind, const char *name) {
  cpb_step step;
  cpb_question q = {.struct_size = sizeof q, .kind = kind, .name = name, .name_size = name ? strlen(name) : 0};
  cpb_model_ask(model, &q);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) answer(h, cpb_model_input(model));
  assert_int_equal(cpb_model_step(model), step);
  return step;
}

/* The answer's text, to be freed; NULL for an error. */
static char *text_of(cpb_model *model, host *h, cpb_question_kind kind, const char *name) {
  size_t size;
  if (ask(model, h, kind, name) != CPB_STEP_DONE) return NULL;
  const char *json = cpb_model_answer(model, &size);
  char *text = malloc(size + 1);
  memcpy(text, json, size);
  text[size] = 0;
  return text;
}

static void has(const char *text, const char *part) {
  if (!text || !strstr(text, part)) fail_msg("no %s in %s", part, text ? text : "an error");
}

/* The answer to one question about a fresh model has the parts. */
#define HAS(h, kind, name, ...)                                                                \
  do {                                                                                         \
    const char *parts[] = {__VA_ARGS__};                                                       \
    cpb_model *asked_model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);                 \
    char *text = text_of(asked_model, h, kind, name);                                          \
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) has(text, parts[part]); \
    free(text);                                                                                \
    cpb_model_free(asked_model);                                                               \
  } while (0)

static void free_host(host *h) {
  free(h->buffer);
  free(h->message.data);
}

static const struct {
  cpb_question_kind kind;
  const char *name;
} questions[] = {{CPB_ASK_OVERVIEW, NULL},    {CPB_ASK_SIGNATURE, "serve"}, {CPB_ASK_FUNCTIONS, NULL},
                 {CPB_ASK_FUNCTION, "inner"}, {CPB_ASK_NODES, NULL},        {CPB_ASK_NODES, "wrapper"},
                 {CPB_ASK_OBJECTS, NULL},     {CPB_ASK_CONSTANTS, NULL},    {CPB_ASK_OPS, NULL},
                 {CPB_ASK_SEARCH, "a"},       {CPB_ASK_OBJECTS, "root.v"},  {CPB_ASK_SCOPES, NULL},
                 {CPB_ASK_CUT, "root.v"},     {CPB_ASK_LAYERS, NULL},       {CPB_ASK_LOAD, "root"},
                 {CPB_ASK_CONSUMERS, "x"},    {CPB_ASK_NODE, "x"},          {CPB_ASK_OVERVIEW, NULL}};
#define NUM_QUESTIONS (sizeof questions / sizeof *questions)

/* --- How it is read --------------------------------------------------------------- */

static void pieces_make_no_difference(void **state) {
  (void)state;
  host h = {.message = saved_model_of(5000)};
  for (size_t q = 0; q < NUM_QUESTIONS; q++) {
    cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
    h.piece = 0;
    char *whole = text_of(model, &h, questions[q].kind, questions[q].name);
    assert_non_null(whole);
    cpb_model_free(model);
    for (h.piece = 1; h.piece < 400; h.piece = h.piece * 2 + 1) {
      model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
      char *text = text_of(model, &h, questions[q].kind, questions[q].name);
      assert_string_equal(text, whole);
      free(text);
      cpb_model_free(model);
    }
    free(whole);
  }
  free_host(&h);
}

static void earlier_questions_make_no_difference(void **state) {
  (void)state;
  host h = {.message = saved_model_of(5000)};
  cpb_model *old = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  for (size_t n = 0; n < NUM_QUESTIONS * NUM_QUESTIONS; n++) {
    size_t q = n * 5 % NUM_QUESTIONS;
    cpb_model *fresh = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
    char *a = text_of(old, &h, questions[q].kind, questions[q].name);
    char *b = text_of(fresh, &h, questions[q].kind, questions[q].name);
    assert_string_equal(a, b);
    free(a);
    free(b);
    cpb_model_free(fresh);
  }
  cpb_model_free(old);
  free_host(&h);
}

static void a_question_may_be_given_up(void **state) {
  (void)state;
  host h = {.message = saved_model_of(5000), .piece = 50};
  for (unsigned steps = 0; steps < 60; steps++) {
    cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
    cpb_question q = {.struct_size = sizeof q, .kind = CPB_ASK_NODES};
    cpb_model_ask(model, &q);
    for (unsigned i = 0; i < steps && cpb_model_step(model) == CPB_STEP_NEED; i++) answer(&h, cpb_model_input(model));
    char *text = text_of(model, &h, CPB_ASK_CONSTANTS, NULL);
    has(text, "\"node\":\"weights\"");
    free(text);
    cpb_model_free(model);
  }
  free_host(&h);
}

/* Some 300 KB of objects. */
static bytes many_objects(void) {
  bytes objects = objects_of();
  for (int i = 0; i < 4000; i++) {
    bytes object = {NULL, 0};
    put_child(&object, (uint64_t)i, "a child with quite a long name, as they are");
    put_message(&objects, OBJECTS_NODES, object);
  }
  return objects;
}

/* Layers as Keras described them before TensorFlow 2.5: some 200 KB, of which little is
 * read for the objects alone. */
static bytes old_layers(void) {
  bytes objects = objects_of();
  for (int i = 0; i < 100; i++) {
    char json[2048];
    bytes user = text_field(USER_IDENTIFIER, "_tf_keras_layer"), object = {NULL, 0};
    snprintf(json, sizeof json, "{\"class_name\":\"Dense\",\"name\":\"layer %d\",\"config\":{\"x\":\"%1900d\"}}", i, i);
    put_text(&user, USER_METADATA, json);
    put_message(&object, OBJECT_USER, user);
    put_message(&objects, OBJECTS_NODES, object);
  }
  return objects;
}

/* A gigabyte of weights as a constant, which is passed over in one jump. */
static host gigabyte(bytes objects) {
  const uint64_t hole = (uint64_t)1 << 30;
  bytes tensor = int_field(TENSOR_DTYPE, 1), attr = {NULL, 0}, node = text_field(NODE_NAME, "weights"),
        graph = {NULL, 0};
  bytes meta = {NULL, 0}, entry = text_field(MAP_KEY, "value"), model = int_field(SAVED_MODEL_VERSION, 1);
  uint8_t head[CPB_WIRE_HEADER_MAX];
  put_message(&meta, META_GRAPH_INFO, info_of());
  put_text(&node, NODE_OP, "Const");
  put(&tensor, head, (size_t)(cpb_wire_put_len(head, TENSOR_CONTENT, hole) - head));
  /* Each length counts the hole, which comes after all of them. */
  struct {
    bytes *outer;
    uint32_t number;
    bytes *inner;
  } levels[] = {{&attr, ATTR_TENSOR, &tensor},
                {&entry, MAP_VALUE, &attr},
                {&node, NODE_ATTR, &entry},
                {&graph, GRAPH_NODE, &node},
                {&meta, META_GRAPH_GRAPH, &graph}};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    put(levels[i].outer, head, (size_t)(cpb_wire_put_len(head, levels[i].number, levels[i].inner->size + hole) - head));
    put(levels[i].outer, levels[i].inner->data, levels[i].inner->size);
    free(levels[i].inner->data);
  }
  uint64_t hole_in_meta = meta.size;
  put_entry(&meta, META_GRAPH_SIGNATURE, "serve", signature_of());
  put_message(&meta, META_GRAPH_OBJECTS, objects);
  put(&model, head, (size_t)(cpb_wire_put_len(head, SAVED_MODEL_META_GRAPHS, meta.size + hole) - head));
  host h = {.hole = model.size + hole_in_meta, .hole_size = hole};
  put(&model, meta.data, meta.size);
  free(meta.data);
  h.message = model;
  return h;
}

static void the_overview_of_a_gigabyte_takes_six_requests_and_a_megabyte(void **state) {
  (void)state;
  host h = gigabyte(many_objects());
  HAS(&h, CPB_ASK_OVERVIEW, NULL, "\"serve\"", "\"custom\":[{\"op\":\"MyOp\"}]", "\"total\":4005");
  assert_true(h.requests <= 6);
  assert_true(h.lent <= 1000000);
  HAS(&h, CPB_ASK_CONSTANTS, NULL, "\"size\":1073741824,\"parameters\"", "\"field\":\"tensor_content\"");
  free_host(&h);
}

static void an_overview_with_described_layers_takes_no_more(void **state) {
  (void)state;
  host h = gigabyte(old_layers());
  HAS(&h, CPB_ASK_OVERVIEW, NULL, "\"objects\":101,\"class\":", "\"layers\":101");
  assert_true(h.requests <= 6);
  assert_true(h.lent <= 1000000);
  free_host(&h);
}

/* --- Hostile models ------------------------------------------------------------------ */

static void problems_are_listed_and_the_rest_is_shown(void **state) {
  (void)state;
  host h = {.message = saved_model_of(100)};
  HAS(&h, CPB_ASK_OBJECTS, NULL, "\"child\":\"self\",\"node\":0,\"path\":\"root\",\"elsewhere\":true",
      "{\"child\":\"nowhere\",\"node\":77,\"path\":null}", "node_id 77; expected less than 5",
      "{\"child\":\"just_beyond\",\"node\":5,\"path\":null}",
      "\"child\":\"v\",\"node\":2,\"path\":\"root.v\",\"elsewhere\":false,\"kind\":\"variable\"", "\"shape\":[3,null]");
  HAS(&h, CPB_ASK_SIGNATURE, "serve", "bound_inputs has node 900; expected less than 5",
      "\"function\":{\"name\":\"inner\"", "\"captures\":[{\"argument\":\"captured\",\"node\":2,\"path\":\"root.v\"",
      "\"variables\":{\"items\":[{\"node\":\"v\",\"op\":\"VarHandleOp\"");
  HAS(&h, CPB_ASK_FUNCTION, "inner", "\"calls\":[{\"function\":\"inner\",\"nodes\":1}]",
      "\"called_by\":[{\"function\":\"wrapper\",\"nodes\":1},{\"function\":\"inner\",\"nodes\":1}]");
  HAS(&h, CPB_ASK_NODES, "wrapper", "after\\u001b[2J<b>", "\"control_inputs\":[\"call\"]");
  HAS(&h, CPB_ASK_OBJECTS, "#4", "\"path\":null,\"kind\":\"constant\",\"operation\":\"lost\"");
  HAS(&h, CPB_ASK_OVERVIEW, NULL, "\"unreachable\":1", "\"partial\":true");
  free_host(&h);
}

/* Whatever is cut off: what stands before it is shown, or that nothing does. */
static void the_rest_of_a_model_that_is_cut_off_is_shown(void **state) {
  (void)state;
  host h = {.message = saved_model_of(1100)};
  size_t shown = 0, whole = h.message.size;
  for (; h.message.size > 0; h.message.size--) {
    cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
    for (size_t q = 0; q < 4; q++) {
      char *text = text_of(model, &h, questions[q * 3 + (q == 3) * 2].kind, NULL);
      if (text && h.message.size < whole) has(text, "\"problems\":[{\"offset\":");
      if (!text) assert_true(cpb_model_error(model)->message[0]);
      shown += text != NULL;
      free(text);
    }
    cpb_model_free(model);
  }
  assert_true(shown > whole);
  free_host(&h);
}

static void damage_is_a_problem_or_an_error(void **state) {
  (void)state;
  host h = {.message = saved_model_of(300)};
  for (size_t i = 0; i < h.message.size; i++) {
    uint8_t flip = (uint8_t)(1 << i * 5 % 8);
    h.message.data[i] ^= flip;
    cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
    for (size_t q = 0; q < 4; q++) {
      char *text = text_of(model, &h, questions[(i + 3 * q) % 13].kind, questions[(i + 3 * q) % 13].name);
      if (text) has(text, "\"problems\":[");
      free(text);
    }
    cpb_model_free(model);
    h.message.data[i] ^= flip;
  }
  free_host(&h);
}

static void memory_is_bounded(void **state) {
  (void)state;
  bytes node = message_field(GRAPH_NODE, node_of("a node", "NoOp", NULL));
  const size_t count = 200000;
  host h = {.message = {malloc(count * node.size), count * node.size}};
  for (size_t i = 0; i < count; i++) memcpy(h.message.data + i * node.size, node.data, node.size);
  free(node.data);
  const cpb_model_options options = {.struct_size = sizeof options, .max_memory = 2 << 20};
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_GRAPH_DEF, &options);
  char *text = text_of(model, &h, CPB_ASK_NODES, NULL);
  has(text, "the outline exceeds the limit of 2097152 bytes: at least 2");
  has(text, "\"name\":\"a node\"");
  free(text);
  cpb_model_free(model);
  free_host(&h);
}

/* --- Errors ------------------------------------------------------------------------------ */

static void every_failing_allocation_is_a_clean_error(void **state) {
  (void)state;
  host h = {.message = saved_model_of(3000), .piece = 1000};
  for (size_t q = 0; q < NUM_QUESTIONS; q++) {
    for (size_t n = 1;; n++) {
      failing_allocator f = {.fail_at = n};
      cpb_allocator a = failing_allocator_of(&f);
      cpb_model *model = cpb_model_new(&a, CPB_MODEL_SAVED_MODEL, NULL);
      cpb_step step = model ? ask(model, &h, questions[q].kind, questions[q].name) : CPB_STEP_ERROR;
      if (model && step == CPB_STEP_ERROR) {
        assert_int_equal(cpb_model_error(model)->code, CPB_E_MEMORY);
        assert_int_equal(ask(model, &h, questions[q].kind, questions[q].name), CPB_STEP_DONE);
      }
      cpb_model_free(model);
      assert_int_equal(f.blocks, 0);
      if (f.calls < n) break;
    }
  }
  free_host(&h);
}

static void fails(cpb_model *model, host *h, cpb_question_kind kind, const char *name, cpb_code code,
                  const char *text) {
  assert_int_equal(ask(model, h, kind, name), CPB_STEP_ERROR);
  assert_int_equal(cpb_model_error(model)->code, code);
  has(cpb_model_error(model)->message, text);
}

/* All kinds say in one form that a question cannot be asked of them, and which ones can. */
static void a_question_of_other_kinds_is_told_with_those_that_can_be_asked(void **state) {
  static const struct {
    cpb_model_kind kind;
    const char *text;
  } cases[] = {
      {CPB_MODEL_SAVED_MODEL,
       "question \"tag\" is not supported for models of the kind SavedModel; "
       "expected one of overview, signature, functions, function, "
       "nodes, objects, layers, constants, ops, search, load, scopes, cut, consumers, variables, node, upstream, "
       "downstream"},
      {CPB_MODEL_GRAPH_DEF,
       "question \"tag\" is not supported for models of the kind GraphDef; expected one of overview, functions, "
       "function, nodes, layers, constants, ops, search, scopes, consumers, node, upstream, downstream"},
      {CPB_MODEL_KERAS_METADATA,
       "question \"tag\" is not supported for models of the kind Keras metadata; "
       "expected one of overview, layers, search, load"},
      {CPB_MODEL_SAMEDIFF_ZIP,
       "question \"cut\" is not supported for models of the kind SameDiff zip; expected one of overview, functions, "
       "function, nodes, layers, constants, ops, search, tag, scopes, consumers, node, upstream, downstream"},
      {CPB_MODEL_SAMEDIFF_GRAPH,
       "question \"cut\" is not supported for models of the kind SameDiff graph; expected one of overview, "
       "functions, function, nodes, layers, constants, ops, search, tag, scopes, consumers, node, "
       "upstream, downstream"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool samediff = cases[i].kind == CPB_MODEL_SAMEDIFF_ZIP || cases[i].kind == CPB_MODEL_SAMEDIFF_GRAPH;
    cpb_question question = {.struct_size = sizeof question, .kind = samediff ? CPB_ASK_CUT : CPB_ASK_TAG};
    cpb_model *model = cpb_model_new(NULL, cases[i].kind, NULL);
    cpb_model_ask(model, &question);
    assert_int_equal(cpb_model_step(model), CPB_STEP_ERROR);
    assert_int_equal(cpb_model_error(model)->code, CPB_E_UNSUPPORTED);
    assert_string_equal(cpb_model_error(model)->message, cases[i].text);
    cpb_model_free(model);
  }
}

static void questions_without_an_answer_are_errors(void **state) {
  (void)state;
  host h = {.message = saved_model_of(100)};
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  assert_int_equal(cpb_model_step(model), CPB_STEP_ERROR);
  assert_int_equal(cpb_model_error(model)->code, CPB_E_USAGE);
  fails(model, &h, CPB_ASK_SIGNATURE, "none", CPB_E_NOT_FOUND, "there is no signature \"none\"");
  fails(model, &h, CPB_ASK_FUNCTION, "none", CPB_E_NOT_FOUND, "there is no function or subgraph \"none\"");
  fails(model, &h, CPB_ASK_NODES, "\n", CPB_E_NOT_FOUND, "there is no function or subgraph \"\\x0a\"");
  fails(model, &h, CPB_ASK_OBJECTS, "root.v.x", CPB_E_NOT_FOUND, "there is no object \"root.v.x\"");
  fails(model, &h, CPB_ASK_TAG, NULL, CPB_E_UNSUPPORTED,
        "question \"tag\" is not supported for models of the kind SavedModel");
  fails(model, &h, (cpb_question_kind)99, NULL, CPB_E_USAGE, "question is 99; expected one of");
  cpb_question other = {.struct_size = sizeof other, .kind = CPB_ASK_OVERVIEW, .meta_graph = 1};
  cpb_model_ask(model, &other);
  assert_int_equal(cpb_model_step(model), CPB_STEP_ERROR);
  has(cpb_model_error(model)->message, "meta_graph is 1; expected less than 1");
  assert_int_equal(ask(model, &h, CPB_ASK_OVERVIEW, NULL), CPB_STEP_DONE);
  cpb_model_free(model);
  free_host(&h);
}

static void a_host_that_fails_is_an_error_of_this_question_only(void **state) {
  (void)state;
  host h = {.message = saved_model_of(3000)};
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  for (int part = 0; part < 2; part++) {
    cpb_question q = {.struct_size = sizeof q, .kind = part == 0 ? CPB_ASK_OVERVIEW : CPB_ASK_NODES};
    cpb_model_ask(model, &q);
    assert_int_equal(cpb_model_step(model), CPB_STEP_NEED);
    cpb_input_fail(cpb_model_input(model), CPB_E_READ, "no network");
    assert_int_equal(cpb_model_step(model), CPB_STEP_ERROR);
    assert_string_equal(cpb_model_error(model)->message, "no network");
    assert_int_equal(ask(model, &h, q.kind, NULL), CPB_STEP_DONE);
  }
  cpb_model_free(model);
  free_host(&h);
}

/* --- Kinds --------------------------------------------------------------------------------- */

static cpb_model_kind guess_named(const void *data, size_t size, const char *name) {
  const cpb_file_ends ends = {
      .struct_size = sizeof ends, .begin = data, .begin_size = size, .name = name, .name_size = strlen(name)};
  return cpb_model_guess(&ends);
}

static cpb_model_kind guess(const void *data, size_t size) { return guess_named(data, size, ""); }

static void models_are_told_by_how_they_begin(void **state) {
  (void)state;
  bytes saved = saved_model_of(10), graph = graph_of(10), library = {NULL, 0}, meta = {NULL, 0};
  put_message(&library, GRAPH_LIBRARY, message_field(LIBRARY_FUNCTION, function_of("f", "g")));
  put_message(&meta, SAVED_MODEL_META_GRAPHS, message_field(META_GRAPH_INFO, info_of()));
  assert_int_equal(guess(saved.data, saved.size), CPB_MODEL_SAVED_MODEL);
  assert_int_equal(guess(meta.data, meta.size), CPB_MODEL_SAVED_MODEL);
  assert_int_equal(guess(graph.data, graph.size), CPB_MODEL_GRAPH_DEF);
  assert_int_equal(guess(library.data, library.size), CPB_MODEL_GRAPH_DEF);
  assert_int_equal(guess("PK\3\4....", 8), 0);
  assert_int_equal(guess("\x18\0\0\0\0\0\0\0", 8), 0);
  assert_int_equal(guess_named("\x18\0\0\0\0\0\0\0", 8, "m.fb"), CPB_MODEL_SAMEDIFF_GRAPH);
  assert_int_equal(guess_named("\x18\0\0\0TFL3", 8, "m.fb"), 0);
  assert_int_equal(guess("\x0a\x06\x1a\x04root", 8), 0);
  assert_int_equal(guess_named("\x0a\x06\x1a\x04root", 8, "KERAS_metadata.pb"), CPB_MODEL_KERAS_METADATA);
  assert_int_equal(guess("\x0a\x0c\x22\x0a_tf_keras_", 14), CPB_MODEL_KERAS_METADATA);
  assert_int_equal(guess("hello", 5), 0);
  assert_int_equal(guess("# A README\n\nwith text\n", 22), 0);
  assert_int_equal(guess("\n# A README after an empty line, long enough", 44), 0);
  assert_int_equal(guess("\x08\x01", 2), 0);
  assert_int_equal(guess_named("\x08\x01", 2, "a/saved_model.pb"), CPB_MODEL_SAVED_MODEL);
  assert_int_equal(guess_named("\xff\xff", 2, "a/saved_model.pb"), CPB_MODEL_SAVED_MODEL);
  assert_int_equal(guess_named("<html>", 6, "a/saved_model.pb"), 0);
  /* ir_version 8, producer_name "pytorch", producer_version "2.1"; nodes without and with an operator; an opset */
  static const char named[] =
      "\x08\x08\x12\x07pytorch\x1a\x03"
      "2.1";
  assert_int_equal(guess(named, sizeof named - 1), 0);
  assert_int_equal(guess_named(named, sizeof named - 1, "m.onnx"), CPB_MODEL_ONNX);
  assert_int_equal(guess("\x08\x08\x3a\x08\x0a\x06\x0a\x01x\x12\x01y", 12), 0);
  assert_int_equal(guess("\x08\x08\x3a\x08\x0a\x06\x0a\x01x\x22\x01y", 12), CPB_MODEL_ONNX);
  assert_int_equal(guess("\x08\x08\x42\x02\x10\x07", 6), CPB_MODEL_ONNX);
  /* specificationVersion 6, a description with an input "x", a neuralNetwork; the same without the input, with none */
  assert_int_equal(guess("\x08\x06\x12\x05\x0a\x03\x0a\x01x\xa2\x1f\0", 12), CPB_MODEL_COREML);
  assert_int_equal(guess("\x08\x06\x12\0\xa2\x1f\0", 7), CPB_MODEL_COREML);
  assert_int_equal(guess("\x08\x06\xa2\x1f\0", 5), CPB_MODEL_COREML);
  assert_int_equal(guess("", 0), 0);
  for (size_t size = 0; size < 40; size++) guess(saved.data, size);
  free(saved.data);
  free(graph.data);
  free(library.data);
  free(meta.data);
}

static void questions_have_names(void **state) {
  (void)state;
  assert_string_equal(cpb_question_name(CPB_ASK_OVERVIEW), "overview");
  assert_null(cpb_question_name((cpb_question_kind)0));
  assert_null(cpb_question_text((cpb_question_kind)1000));
}

/* Numbers have no gaps: who asks for all of them begins with 1. */
static void kinds_have_types_that_are_built_in(void **state) {
  (void)state;
  cpb_error error;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  int count = 0;
#define COUNT(...) count++;
  CPB_MODEL_KINDS(COUNT)
#undef COUNT
  for (cpb_model_kind kind = 1; cpb_model_kind_name(kind); kind++, count--) {
    const char *type = cpb_model_message_type(kind);
    assert_true(cpb_model_kind_answers(kind, CPB_ASK_OVERVIEW));
    assert_false(cpb_model_kind_answers(kind, (cpb_question_kind)1000));
    if (type) assert_non_null(cpb_schema_find_message(schema, type));
  }
  assert_int_equal(count, 0);
  assert_false(cpb_model_kind_answers((cpb_model_kind)1000, CPB_ASK_OVERVIEW));
  cpb_schema_free(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_make_no_difference),
      cmocka_unit_test(earlier_questions_make_no_difference),
      cmocka_unit_test(a_question_may_be_given_up),
      cmocka_unit_test(the_overview_of_a_gigabyte_takes_six_requests_and_a_megabyte),
      cmocka_unit_test(an_overview_with_described_layers_takes_no_more),
      cmocka_unit_test(problems_are_listed_and_the_rest_is_shown),
      cmocka_unit_test(the_rest_of_a_model_that_is_cut_off_is_shown),
      cmocka_unit_test(damage_is_a_problem_or_an_error),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(every_failing_allocation_is_a_clean_error),
      cmocka_unit_test(a_question_of_other_kinds_is_told_with_those_that_can_be_asked),
      cmocka_unit_test(questions_without_an_answer_are_errors),
      cmocka_unit_test(a_host_that_fails_is_an_error_of_this_question_only),
      cmocka_unit_test(models_are_told_by_how_they_begin),
      cmocka_unit_test(questions_have_names),
      cmocka_unit_test(kinds_have_types_that_are_built_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Values of TensorFlow's constants: pieces of any size, what is read, and memory that fails.
 * (tests/model/test_constants.py compares them with TensorFlow.) */
#include "model_case.h"

#include "cpb/values.h"
#include "failing_allocator.h"

typedef struct host {
  bytes message;
  size_t piece; /* 0: as much as is hinted at */
  uint64_t lent;
  uint8_t *buffer;
} host;

static void answer(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  cpb_input_end(input, h->message.size);
  if (need.kind != CPB_NEED_RANGE) return;
  assert_true(need.offset < h->message.size && need.ahead <= h->message.size - need.offset);
  size_t length = h->piece && h->piece < need.ahead ? h->piece : (size_t)need.ahead;
  free(h->buffer); /* so that nothing of what was lent is used again */
  h->buffer = malloc(length);
  memcpy(h->buffer, h->message.data + need.offset, length);
  h->lent += length;
  cpb_input_supply(input, need.offset, h->buffer, length);
}

static void free_host(host *h) {
  free(h->message.data);
  free(h->buffer);
}

/* Everything that comes; the engine stays for its info and its error. */
static bytes read_all(cpb_values *values, host *h, cpb_step *step) {
  bytes out = {NULL, 0};
  while ((*step = cpb_values_step(values)) == CPB_STEP_NEED || *step == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (*step == CPB_STEP_NEED) answer(h, cpb_values_input(values));
    else put(&out, data, size);
    if (*step == CPB_STEP_DATA) assert_non_null(cpb_values_get_info(values));
  }
  return out;
}

static cpb_values *open_constant(const cpb_allocator *a, const char *name) {
  return cpb_values_new(a, CPB_MODEL_SAVED_MODEL, name, strlen(name), NULL);
}

/* A node with a TensorProto of these fields: dtype, a shape of 3 by `columns`, `values`. */
static void put_tensor(bytes *graph, const char *name, uint64_t dtype, uint64_t columns, bytes values) {
  bytes node = node_of(name, "Const", NULL), tensor = int_field(TENSOR_DTYPE, dtype);
  put_message(&tensor, TENSOR_SHAPE, shape_of(3, columns));
  put(&tensor, values.data, values.size);
  free(values.data);
  put_entry(&node, NODE_ATTR, "value", message_field(ATTR_TENSOR, tensor));
  put_message(graph, GRAPH_NODE, node);
}

static bytes packed_varints(void) {
  bytes packed = {NULL, 0}, field = {NULL, 0};
  uint8_t varint[CPB_VARINT_MAX];
  for (uint64_t i = 0; i < 90; i++)
    put(&packed, varint, (size_t)(cpb_varint_write(varint, i * i * i * 0x123456789abu) - varint));
  put_message(&field, TENSOR_INT64, packed);
  put_int(&field, TENSOR_INT64, (uint64_t)-1);
  return field;
}

static bytes texts(void) {
  bytes fields = {NULL, 0};
  for (int i = 0; i < 7; i++) put_text(&fields, TENSOR_STRINGS, &"seven letters"[i]);
  return fields;
}

static const char *const names[] = {"content", "varints", "texts", "small"};
#define NUM_NAMES (sizeof names / sizeof *names)

static bytes model_of(void) {
  bytes graph = {NULL, 0}, meta = {NULL, 0}, model = {NULL, 0}, content = noise(3 * 4 * 500, 1), small = noise(6, 2);
  put_tensor(&graph, "content", 1, 500, *put_message(&(bytes){NULL, 0}, TENSOR_CONTENT, content));
  put_tensor(&graph, "varints", 9, 40, packed_varints());
  put_tensor(&graph, "texts", 7, 4, texts());
  put_tensor(&graph, "small", 29, 2, *put_message(&(bytes){NULL, 0}, TENSOR_CONTENT, small));
  put_message(&meta, META_GRAPH_GRAPH, graph);
  put_message(&model, SAVED_MODEL_META_GRAPHS, meta);
  return model;
}

static void values_do_not_depend_on_how_the_input_comes(void **state) {
  (void)state;
  for (size_t n = 0; n < NUM_NAMES; n++) {
    bytes whole = {NULL, 0};
    for (size_t piece = 0; piece < 40; piece++) {
      cpb_step step;
      host h = {.message = model_of(), .piece = piece};
      cpb_values *values = open_constant(NULL, names[n]);
      bytes out = read_all(values, &h, &step);
      assert_int_equal(step, CPB_STEP_DONE);
      assert_int_equal(out.size, cpb_values_get_info(values)->size);
      if (piece > 0) assert_memory_equal(out.data, whole.data, whole.size);
      free(piece > 0 ? out.data : NULL);
      if (piece == 0) whole = out;
      cpb_values_free(values);
      free_host(&h);
    }
    free(whole.data);
  }
}

static void numbers_are_as_they_were_written(void **state) {
  (void)state;
  cpb_step step;
  host h = {.message = model_of()};
  cpb_values *values = open_constant(NULL, "varints");
  bytes out = read_all(values, &h, &step);
  assert_int_equal(out.size, 120 * 8);
  for (uint64_t i = 0; i < 120; i++) {
    uint64_t expected = i < 90 ? i * i * i * 0x123456789abu : (uint64_t)-1;
    assert_true(cpb_load64(out.data + 8 * i) == expected);
  }
  free(out.data);
  cpb_values_free(values);
  free_host(&h);
}

/* Beside what leads to it, of a message with much else. */
static void only_the_constant_is_read(void **state) {
  (void)state;
  enum { OTHERS = 100000 };
  cpb_step step;
  bytes graph = {NULL, 0}, meta = {NULL, 0}, model = {NULL, 0};
  put_message(&graph, GRAPH_NODE, constant_of("before", OTHERS));
  put_message(&graph, GRAPH_NODE, constant_of("wanted", 40000));
  put_message(&graph, GRAPH_NODE, constant_of("after", OTHERS));
  put_message(&meta, META_GRAPH_INFO, message_field(META_INFO_OPS, noise(OTHERS, 9)));
  put_message(&meta, META_GRAPH_GRAPH, graph);
  put_message(&model, SAVED_MODEL_META_GRAPHS, meta);
  host h = {.message = model};
  cpb_values *values = open_constant(NULL, "wanted");
  bytes out = read_all(values, &h, &step), expected = noise(40000, 7);
  assert_int_equal(step, CPB_STEP_DONE);
  assert_memory_equal(out.data, expected.data, expected.size);
  assert_true(h.lent < 40000 + 4096);
  free(expected.data);
  free(out.data);
  cpb_values_free(values);
  free_host(&h);
}

/* As answers say where it lies: nothing else of the message is read. */
static void a_tensor_may_be_read_where_it_is_known_to_lie(void **state) {
  (void)state;
  cpb_step step;
  bytes tensor = int_field(TENSOR_DTYPE, 9);
  put_message(&tensor, TENSOR_SHAPE, shape_of(3, 40));
  bytes fields = packed_varints(), message = noise(1000, 3);
  put(&tensor, fields.data, fields.size);
  put(&message, tensor.data, tensor.size);
  host h = {.message = message};
  cpb_values_options how = {.struct_size = sizeof how, .tensor_offset = 1000, .tensor_size = tensor.size};
  cpb_values *values = cpb_values_new(NULL, CPB_MODEL_GRAPH_DEF, NULL, 0, &how);
  bytes out = read_all(values, &h, &step);
  assert_int_equal(step, CPB_STEP_DONE);
  assert_int_equal(out.size, 3 * 40 * 8);
  assert_true(cpb_load64(out.data + 8) == 0x123456789abu && h.lent <= 2 * tensor.size);
  cpb_values_free(values);
  how.tensor_size = UINT64_MAX;
  values = cpb_values_new(NULL, CPB_MODEL_GRAPH_DEF, NULL, 0, &how);
  free(out.data);
  out = read_all(values, &h, &step);
  assert_int_equal(cpb_values_error(values)->code, CPB_E_USAGE);
  cpb_values_free(values);
  free(out.data);
  free(fields.data);
  free(tensor.data);
  free_host(&h);
}

static void memory_that_fails_is_an_error_and_nothing_leaks(void **state) {
  (void)state;
  for (size_t n = 0; n < NUM_NAMES; n++) {
    for (size_t fail_at = 1;; fail_at++) {
      cpb_step step = CPB_STEP_ERROR;
      failing_allocator f = {.fail_at = fail_at};
      cpb_allocator a = failing_allocator_of(&f);
      host h = {.message = model_of(), .piece = 30};
      cpb_values *values = open_constant(&a, names[n]);
      bytes out = values ? read_all(values, &h, &step) : (bytes){NULL, 0};
      if (f.calls >= fail_at && values) assert_int_equal(cpb_values_error(values)->code, CPB_E_MEMORY);
      cpb_values_free(values);
      free(out.data);
      free_host(&h);
      assert_int_equal(f.blocks, 0);
      if (f.calls < fail_at) break;
      assert_int_equal(step, CPB_STEP_ERROR);
    }
  }
}

/* A kind without arrays, and a model without that one: the same error at every step. */
static void errors_stay(void **state) {
  (void)state;
  cpb_step step;
  host h = {.message = model_of()};
  cpb_values *values = open_constant(NULL, "nothing");
  bytes out = read_all(values, &h, &step);
  assert_int_equal(step, CPB_STEP_ERROR);
  assert_int_equal(cpb_values_step(values), CPB_STEP_ERROR);
  assert_int_equal(cpb_values_error(values)->code, CPB_E_NOT_FOUND);
  assert_null(cpb_values_get_info(values));
  cpb_values_free(values);
  values = cpb_values_new(NULL, CPB_MODEL_KERAS_METADATA, "x", 1, NULL);
  assert_int_equal(cpb_values_step(values), CPB_STEP_ERROR);
  assert_int_equal(cpb_values_error(values)->code, CPB_E_UNSUPPORTED);
  assert_non_null(cpb_values_input(values));
  cpb_values_free(values);
  free(out.data);
  free_host(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_do_not_depend_on_how_the_input_comes),
      cmocka_unit_test(numbers_are_as_they_were_written),
      cmocka_unit_test(only_the_constant_is_read),
      cmocka_unit_test(a_tensor_may_be_read_where_it_is_known_to_lie),
      cmocka_unit_test(memory_that_fails_is_an_error_and_nothing_leaks),
      cmocka_unit_test(errors_stay),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

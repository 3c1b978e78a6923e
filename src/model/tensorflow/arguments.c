#include "model/tensorflow/state.h"

#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"

/* Which tensors a Python value stands for is known only from the value's structure, and how many arguments a
 * function has only from its OpDef. So the values are written twice: first into a writer that is thrown away, only
 * to count the tensors. Names of arguments are attached in the second pass, and only if both counts agree. A wrong
 * name would be worse than none. */

/* --- The tensors that values stand for ---------------------------------------------------------- */

/* TensorFlow takes values apart in the order in which they are written here. */
typedef struct leaves {
  bool named;        /* names are written; else tensors are only counted */
  cpb_cursor inputs; /* of the OpDef: the next argument */
  const cpb_input_names *names;
  uint64_t seen;
  bool lost; /* the number of tensors of a value is unknown */
} leaves;

static void write_next_argument(cpb_json_writer *a, leaves *l, const char *key) {
  if (cpb_cursor_find(&l->inputs, OP_INPUT, CPB_WIRE_LEN))
    cpb_json_writer_span(a, key, cpb_get_bytes(l->inputs.bytes, ARG_NAME));
}

static void write_input(cpb_json_writer *a, const leaves *l, const char *key, uint64_t i) {
  if (i < l->names->count && l->names->items[i].data) cpb_json_writer_span(a, key, l->names->items[i]);
  else cpb_json_writer_null(a, key);
}

static void write_several(cpb_json_writer *a, leaves *l, uint64_t tensors) {
  cpb_json_writer_open(a, "arguments", '[');
  for (uint64_t i = 0; i < tensors; i++) write_next_argument(a, l, NULL);
  cpb_json_writer_close(a, ']');
  if (!l->names) return;
  cpb_json_writer_open(a, "inputs", '[');
  for (uint64_t i = 0; i < tensors; i++) write_input(a, l, NULL, l->seen + i);
  cpb_json_writer_close(a, ']');
}

static void on_leaf(void *user, cpb_json_writer *a, bool alone, uint64_t tensors) {
  leaves *l = user;
  l->lost = l->lost || tensors == 0;
  if (l->named && alone) write_next_argument(a, l, "argument");
  if (l->named && alone && l->names) write_input(a, l, "input", l->seen);
  if (l->named && !alone) write_several(a, l, tensors);
  l->seen += tensors;
}

/* --- Calling a function from Python ---------------------------------------------------------- */

static cpb_span elements_of(cpb_span value) {
  cpb_span tuple = cpb_get_bytes(value, VALUE_TUPLE);
  return tuple.data ? tuple : cpb_get_bytes(value, VALUE_LIST);
}

/* A field of the FullArgSpec of a function. */
static cpb_span argument_spec(cpb_span spec, const char *field) {
  cpb_span tuple = cpb_get_bytes(cpb_get_bytes(spec, SPEC_ARGUMENTS), VALUE_NAMED_TUPLE);
  cpb_span pair = cpb_get_entry(tuple, NAMED_TUPLE_VALUES, cpb_span_of(field));
  return cpb_get_bytes(pair, MAP_VALUE);
}

/* A name that the value itself has. */
static cpb_span spec_name(cpb_span value) {
  return cpb_get_bytes(cpb_get_bytes(value, VALUE_TENSOR_SPEC), TENSOR_SPEC_NAME);
}

static void write_argument(cpb_saved_model *m, leaves *l, cpb_span name, cpb_span value) {
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  if (name.size > 0) cpb_json_writer_span(m->viewed.answer, "name", name);
  else cpb_json_writer_null(m->viewed.answer, "name");
  cpb_write_structured_with(m->viewed.answer, "value", &m->skeleton, value, on_leaf, l);
  cpb_json_writer_close(m->viewed.answer, '}');
}

/* Positional ones have the names of the spec, without `self`. */
static void write_positional(cpb_saved_model *m, leaves *l, cpb_span values, cpb_span spec) {
  cpb_cursor names = cpb_cursor_of(elements_of(argument_spec(spec, "args"))), c = cpb_cursor_of(values);
  if (cpb_get_number(spec, SPEC_IS_METHOD)) cpb_cursor_find(&names, LIST_VALUE, CPB_WIRE_LEN);
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    bool named = cpb_cursor_find(&names, LIST_VALUE, CPB_WIRE_LEN);
    write_argument(m, l, named ? cpb_get_bytes(names.bytes, VALUE_STRING) : spec_name(c.bytes), c.bytes);
  }
}

static void write_keywords(cpb_saved_model *m, leaves *l, cpb_span values) {
  cpb_entries keywords;
  if (!cpb_saved_entries(m, cpb_get_bytes(values, VALUE_DICT), DICT_FIELDS, &keywords)) return;
  for (size_t i = 0; i < keywords.count; i++) write_argument(m, l, keywords.items[i].key, keywords.items[i].value);
  cpb_entries_free(&keywords);
}

/* The inputs are a pair: positional arguments and keywords. */
static void write_arguments(cpb_saved_model *m, leaves *l, cpb_span concrete, cpb_span spec) {
  cpb_cursor pair = cpb_cursor_of(elements_of(cpb_get_bytes(concrete, CONCRETE_INPUTS)));
  cpb_json_writer_open(m->viewed.answer, "arguments", '[');
  if (cpb_cursor_find(&pair, LIST_VALUE, CPB_WIRE_LEN)) write_positional(m, l, elements_of(pair.bytes), spec);
  if (cpb_cursor_find(&pair, LIST_VALUE, CPB_WIRE_LEN)) write_keywords(m, l, pair.bytes);
  cpb_json_writer_close(m->viewed.answer, ']');
}

/* Whether the number of tensors in the values equals the number of the function's arguments before its captures. */
static bool do_match(cpb_saved_model *m, cpb_span signature, cpb_span concrete, cpb_span spec) {
  leaves l = {.lost = false};
  cpb_json_writer nowhere = {.failed = false}, *answer = m->viewed.answer;
  cpb_buffer_init(&nowhere.out, &m->viewed.allocator);
  cpb_json_writer_begin(&nowhere);
  m->viewed.answer = &nowhere;
  write_arguments(m, &l, concrete, spec);
  m->viewed.answer = answer;
  bool written = cpb_json_writer_ok(&nowhere);
  cpb_buffer_free(&nowhere.out);
  if (!written) return cpb_viewed_fail_memory(&m->viewed);
  uint64_t inputs = cpb_count_bytes(signature, OP_INPUT), bound = cpb_count_varints(concrete, CONCRETE_BOUND_INPUTS);
  return !l.lost && l.seen + bound == inputs;
}

void cpb_write_call_signature(cpb_saved_model *m, cpb_span signature, cpb_span concrete, cpb_span spec,
                              const cpb_input_names *names) {
  leaves l = {.named = do_match(m, signature, concrete, spec), .inputs = cpb_cursor_of(signature), .names = names};
  write_arguments(m, &l, concrete, spec);
  cpb_write_structured(m->viewed.answer, "returns", &m->skeleton, cpb_get_bytes(concrete, CONCRETE_OUTPUTS));
}

/* The function library. */
#include "model/tensorflow/ask/functions.h"

#include "base/checked.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/attributes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"

/* --- The list -------------------------------------------------------------------------- */

static void write_line(cpb_saved_model *m, uint32_t number) {
  cpb_json_writer *a = m->answer;
  const cpb_function *f = &m->graph.functions[number];
  cpb_span concrete = cpb_objects_concrete(&m->objects, f->name);
  size_t calls, callers;
  cpb_calls_by(&m->graph.calls, number, &calls);
  cpb_calls_of(&m->graph.calls, number, &callers);
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", f->name);
  cpb_json_writer_unsigned(a, "inputs", cpb_count_bytes(f->signature, OP_INPUT));
  cpb_json_writer_unsigned(a, "outputs", cpb_count_bytes(f->signature, OP_OUTPUT));
  cpb_json_writer_unsigned(a, "nodes", f->nodes);
  cpb_json_writer_unsigned(a, "calls", calls);
  cpb_json_writer_unsigned(a, "called_by", callers);
  cpb_json_writer_bool(a, "stateful", cpb_get_number(f->signature, OP_STATEFUL) != 0);
  if (concrete.data) cpb_json_writer_unsigned(a, "captures", cpb_count_varints(concrete, CONCRETE_BOUND_INPUTS));
  cpb_json_writer_close(a, '}');
}

void cpb_ask_functions(cpb_saved_model *m) {
  cpb_page page = cpb_saved_open_page(m, "functions");
  for (size_t i = 0; i < m->graph.num_functions; i++) {
    if (m->question.scope_size > 0 && !cpb_span_begins(m->graph.functions[i].name, cpb_saved_scope(m))) continue;
    if (cpb_page_has(&page)) write_line(m, (uint32_t)i);
  }
  cpb_page_close(m->answer, &page);
}

/* --- One function: its signature ------------------------------------------------------------ */

/* A dtype, or the attribute that says it when the function is called. */
static void write_arg_type(cpb_json_writer *a, cpb_span arg) {
  static const struct {
    uint32_t number;
    const char *key;
  } attrs[] = {{ARG_TYPE_ATTR, "type_attr"}, {ARG_NUMBER_ATTR, "number_attr"}, {ARG_TYPE_LIST_ATTR, "type_list_attr"}};
  uint64_t dtype = cpb_get_number(arg, ARG_TYPE);
  if (dtype != 0) cpb_write_dtype(a, "dtype", dtype);
  for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
    cpb_span name = cpb_get_bytes(arg, attrs[i].number);
    if (name.size > 0) cpb_json_writer_span(a, attrs[i].key, name);
  }
}

/* The attributes of each argument, by its number: a map with numbers for keys. */
static bool read_arg_attrs(cpb_saved_model *m, const cpb_function *f, size_t args, cpb_span **attrs) {
  size_t size;
  *attrs = cpb_mul_size(args, sizeof **attrs, &size) ? cpb_alloc_zeroed(&m->allocator, size) : NULL;
  if (!*attrs) return cpb_saved_fail_memory(m);
  cpb_cursor c = cpb_cursor_of(f->message);
  while (cpb_cursor_find(&c, FUNCTION_ARG_ATTR, CPB_WIRE_LEN)) {
    uint64_t number = cpb_get_number(c.bytes, MAP_KEY);
    if (number < args) (*attrs)[number] = cpb_get_bytes(c.bytes, MAP_VALUE);
  }
  return true;
}

static cpb_span arg_attr(cpb_span attrs, const char *name) {
  return cpb_get_bytes(cpb_get_entry(attrs, LIST_VALUE, cpb_span_of(name)), MAP_VALUE);
}

static void write_input(cpb_saved_model *m, cpb_span arg, cpb_span attrs) {
  cpb_span shapes = cpb_get_bytes(arg_attr(attrs, "_output_shapes"), ATTR_LIST);
  cpb_span user_name = arg_attr(attrs, "_user_specified_name");
  cpb_json_writer_open(m->answer, NULL, '{');
  cpb_json_writer_span(m->answer, "name", cpb_get_bytes(arg, ARG_NAME));
  write_arg_type(m->answer, arg);
  if (shapes.data) cpb_write_shape(m->answer, "shape", cpb_get_bytes(shapes, ATTR_SHAPE));
  if (user_name.data) cpb_json_writer_span(m->answer, "user_name", cpb_get_bytes(user_name, ATTR_STRING));
  cpb_json_writer_close(m->answer, '}');
}

static void write_inputs(cpb_saved_model *m, const cpb_function *f) {
  size_t number = 0;
  cpb_span *attrs;
  if (!read_arg_attrs(m, f, cpb_count_bytes(f->signature, OP_INPUT), &attrs)) return;
  cpb_cursor c = cpb_cursor_of(f->signature);
  cpb_json_writer_open(m->answer, "inputs", '[');
  while (cpb_cursor_find(&c, OP_INPUT, CPB_WIRE_LEN)) write_input(m, c.bytes, attrs[number++]);
  cpb_json_writer_close(m->answer, ']');
  cpb_release(&m->allocator, attrs);
}

static void write_outputs(cpb_saved_model *m, const cpb_function *f) {
  cpb_entries returned;
  if (!cpb_saved_entries(m, f->message, FUNCTION_RETURN, &returned)) return;
  cpb_cursor c = cpb_cursor_of(f->signature);
  cpb_json_writer_open(m->answer, "outputs", '[');
  while (cpb_cursor_find(&c, OP_OUTPUT, CPB_WIRE_LEN)) {
    cpb_span name = cpb_get_bytes(c.bytes, ARG_NAME), tensor = cpb_entries_find(&returned, name);
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_json_writer_span(m->answer, "name", name);
    write_arg_type(m->answer, c.bytes);
    if (tensor.data) cpb_json_writer_span(m->answer, "tensor", tensor);
    else cpb_json_writer_null(m->answer, "tensor");
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_json_writer_close(m->answer, ']');
  cpb_entries_free(&returned);
}

static void write_control_outputs(cpb_saved_model *m, const cpb_function *f) {
  cpb_entries entries;
  if (!cpb_saved_entries(m, f->message, FUNCTION_CONTROL_RETURN, &entries)) return;
  cpb_json_writer_open(m->answer, "control_outputs", '[');
  for (size_t i = 0; i < entries.count; i++) {
    cpb_json_writer_open(m->answer, NULL, '{');
    cpb_json_writer_span(m->answer, "name", entries.items[i].key);
    cpb_json_writer_span(m->answer, "node", entries.items[i].value);
    cpb_json_writer_close(m->answer, '}');
  }
  cpb_json_writer_close(m->answer, ']');
  cpb_entries_free(&entries);
}

/* --- One function: what is around it --------------------------------------------------------- */

static void write_function(cpb_saved_model *m, uint32_t number) {
  cpb_json_writer *a = m->answer;
  const cpb_function *f = &m->graph.functions[number];
  cpb_json_writer_span(a, "name", f->name);
  write_inputs(m, f);
  write_outputs(m, f);
  write_control_outputs(m, f);
  cpb_json_writer_bool(a, "stateful", cpb_get_number(f->signature, OP_STATEFUL) != 0);
  cpb_write_attrs(a, "attributes", &m->graph_part, f->message, FUNCTION_ATTR);
  cpb_json_writer_unsigned(a, "nodes", f->nodes);
  if (f->gradient.size > 0) cpb_json_writer_span(a, "gradient", f->gradient);
  cpb_write_calls(m, number);
  cpb_write_callers(m, number);
  cpb_json_writer_bool(a, "concrete", cpb_objects_concrete(&m->objects, f->name).data != NULL);
  cpb_write_concrete(m, f->signature, f->name, NULL);
}

void cpb_ask_function(cpb_saved_model *m) {
  uint32_t number = cpb_graph_find(&m->graph, cpb_saved_name(m));
  if (number == CPB_NO_NAME) cpb_saved_not_found(m, "function", cpb_saved_name(m));
  else write_function(m, number);
}

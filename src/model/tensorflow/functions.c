#include "model/tensorflow/functions.h"

#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"

bool cpb_saved_function_named(cpb_saved_model *m, cpb_span name, uint32_t *function) {
  *function = CPB_MAIN_GRAPH;
  if (!name.data) return true;
  *function = cpb_graph_find(&m->graph, name);
  return *function != CPB_NO_NAME || cpb_viewed_not_found(&m->viewed, "function", name);
}

bool cpb_saved_function(cpb_saved_model *m, uint32_t *function) {
  return cpb_saved_function_named(m, cpb_viewed_name(&m->viewed), function);
}

void cpb_write_function_name(cpb_saved_model *m, uint32_t function) {
  if (function == CPB_MAIN_GRAPH) cpb_json_writer_null(m->viewed.answer, "function");
  else cpb_json_writer_span(m->viewed.answer, "function", m->graph.graphs->items[function].name);
}

/* --- Calls ------------------------------------------------------------------------------ */

static void write_calls(cpb_saved_model *m, const char *key, const cpb_call *calls, size_t count, bool callers) {
  cpb_json_writer_open(m->viewed.answer, key, '[');
  for (size_t i = 0; i < count; i++) {
    uint32_t other = callers ? calls[i].caller : calls[i].callee;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    if (other == CPB_MAIN_GRAPH) cpb_json_writer_null(m->viewed.answer, "function");
    else cpb_json_writer_span(m->viewed.answer, "function", m->graph.graphs->items[other].name);
    cpb_json_writer_unsigned(m->viewed.answer, "nodes", calls[i].count);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
}

void cpb_write_calls(cpb_saved_model *m, uint32_t function) {
  size_t count;
  const cpb_call *calls = cpb_calls_by(&m->graph.graphs->calls, function, &count);
  write_calls(m, "calls", calls, count, false);
}

void cpb_write_callers(cpb_saved_model *m, uint32_t function) {
  size_t count;
  const cpb_call *callers = cpb_calls_of(&m->graph.graphs->calls, function, &count);
  write_calls(m, "called_by", callers, count, true);
}

/* --- Objects ---------------------------------------------------------------------------- */

/* The FunctionSpec that an object has for its functions. */
static cpb_span spec_of(const cpb_object *object) {
  return cpb_get_bytes(object->value, object->kind == OBJECT_FUNCTION ? FUNCTION_SPEC : BARE_SPEC);
}

cpb_span cpb_write_function_objects(cpb_saved_model *m, cpb_span function) {
  cpb_span spec = {NULL, 0};
  size_t count;
  const cpb_name *owners = cpb_names_all(&m->objects.owners, function, &count);
  cpb_json_writer_open(m->viewed.answer, "objects", '[');
  for (size_t i = 0; i < count; i++) {
    const cpb_object *object = &m->objects.items[owners[i].what];
    if (i > 0 && owners[i].what == owners[i - 1].what) continue;
    if (!cpb_json_writer_charge(m->viewed.answer, CPB_WORK_WALKED, object->value.size)) break;
    if (!spec.data) spec = spec_of(object);
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_write_object_place(m, owners[i].what);
    cpb_json_writer_text(m->viewed.answer, "kind", cpb_object_kind_name(object->kind));
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_json_writer_close(m->viewed.answer, ']');
  return spec;
}

void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function, const cpb_input_names *names) {
  cpb_span concrete = cpb_objects_concrete(&m->objects, function);
  cpb_span spec = cpb_write_function_objects(m, function);
  cpb_write_captures(m, signature, concrete);
  cpb_write_call_signature(m, signature, concrete, spec, names);
}

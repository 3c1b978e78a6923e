#include "model/onnx/ask/functions.h"

#include "model/common/write.h"
#include "model/onnx/ask/nodes.h"
#include "model/onnx/attributes.h"
#include "model/onnx/types.h"

static const char *kind_name(cpb_onnx_graph_kind kind) {
  switch (kind) {
    case CPB_ONNX_FUNCTION: return "function";
    case CPB_ONNX_SUBGRAPH: return "subgraph";
    case CPB_ONNX_TRAINING: return "training";
    default: return "graph";
  }
}

static bool is_function(const cpb_onnx_graph *g) { return g->kind == CPB_ONNX_FUNCTION; }

/* --- The list ---------------------------------------------------------------------------------- */

static uint64_t count_ends(const cpb_onnx_graph *g, bool outputs) {
  uint32_t field =
      is_function(g) ? (outputs ? FUNCTION_OUTPUT : FUNCTION_INPUT) : (outputs ? GRAPH_OUTPUT : GRAPH_INPUT);
  return cpb_count_bytes(g->message, field);
}

static void write_item(cpb_onnx_model *m, uint32_t graph) {
  size_t calls, callers;
  cpb_json_writer *a = m->whole.answer;
  const cpb_onnx_graph *g = &m->graphs.items[graph];
  cpb_calls_by(&m->graphs.calls, graph, &calls);
  cpb_calls_of(&m->graphs.calls, graph, &callers);
  cpb_json_writer_open(a, NULL, '{');
  cpb_onnx_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", kind_name(g->kind));
  if (g->domain.size > 0) cpb_json_writer_span(a, "domain", g->domain);
  cpb_json_writer_unsigned(a, "inputs", count_ends(g, false));
  cpb_json_writer_unsigned(a, "outputs", count_ends(g, true));
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  cpb_json_writer_unsigned(a, "calls", calls);
  cpb_json_writer_unsigned(a, "called_by", callers);
  cpb_json_writer_close(a, '}');
}

/* Whether its name begins with the scope. */
static bool is_wanted(cpb_onnx_model *m, uint32_t graph) {
  cpb_buffer name;
  cpb_buffer_init(&name, &m->whole.allocator);
  if (m->whole.question.scope_size == 0) return true;
  if (!cpb_onnx_graph_name(&m->graphs, graph, &name)) m->whole.answer->failed = true;
  bool wanted = cpb_span_begins((cpb_span){name.data, name.size}, cpb_onnx_scope(m));
  cpb_buffer_free(&name);
  return wanted;
}

void cpb_onnx_functions(cpb_onnx_model *m) {
  cpb_page page = cpb_onnx_open_page(m, "functions");
  for (uint32_t i = 1; i < m->graphs.count; i++) {
    if (is_wanted(m, i) && cpb_page_has(&page)) write_item(m, i);
  }
  cpb_page_close(m->whole.answer, &page);
}

/* --- One ----------------------------------------------------------------------------------------- */

/* Of a function the names of its values are all that there is. */
static void write_ends(cpb_onnx_model *m, const cpb_onnx_graph *g, bool outputs) {
  const char *key = outputs ? "outputs" : "inputs";
  cpb_json_writer *a = m->whole.answer;
  if (is_function(g)) {
    cpb_cursor c = cpb_cursor_of(g->message);
    cpb_json_writer_open(a, key, '[');
    while (cpb_cursor_find(&c, outputs ? FUNCTION_OUTPUT : FUNCTION_INPUT, CPB_WIRE_LEN)) {
      cpb_json_writer_open(a, NULL, '{');
      cpb_json_writer_span(a, "name", c.bytes);
      cpb_json_writer_close(a, '}');
    }
    cpb_json_writer_close(a, ']');
    return;
  }
  cpb_cursor c = cpb_cursor_of(g->message);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, outputs ? GRAPH_OUTPUT : GRAPH_INPUT, CPB_WIRE_LEN)) cpb_onnx_write_value_info(a, c.bytes);
  cpb_json_writer_close(a, ']');
}

static void write_calls(cpb_onnx_model *m, const char *key, const cpb_call *calls, size_t count, bool callers) {
  cpb_json_writer_open(m->whole.answer, key, '[');
  for (size_t i = 0; i < count; i++) {
    cpb_json_writer_open(m->whole.answer, NULL, '{');
    cpb_onnx_write_graph_name(m, "function", callers ? calls[i].caller : calls[i].callee);
    cpb_json_writer_unsigned(m->whole.answer, "nodes", calls[i].count);
    cpb_json_writer_close(m->whole.answer, '}');
  }
  cpb_json_writer_close(m->whole.answer, ']');
}

static void write_opsets(cpb_json_writer *a, cpb_span function) {
  cpb_cursor c = cpb_cursor_of(function);
  cpb_json_writer_open(a, "opset_imports", '[');
  while (cpb_cursor_find(&c, FUNCTION_OPSET, CPB_WIRE_LEN)) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "domain", cpb_get_bytes(c.bytes, OPSET_DOMAIN));
    cpb_json_writer_exact(a, "version", (int64_t)cpb_get_number(c.bytes, OPSET_VERSION));
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

static void write_own_members(cpb_onnx_model *m, const cpb_onnx_graph *g) {
  cpb_json_writer *a = m->whole.answer;
  if (!is_function(g)) {
    cpb_json_writer_span(a, "graph", cpb_get_bytes(g->message, GRAPH_NAME));
    cpb_json_writer_unsigned(
        a, "initializers",
        cpb_count_bytes(g->message, GRAPH_INITIALIZER) + cpb_count_bytes(g->message, GRAPH_SPARSE_INITIALIZER));
    cpb_onnx_write_metadata(a, g->message, GRAPH_METADATA);
    return;
  }
  cpb_json_writer_span(a, "domain", g->domain);
  if (g->overload.size > 0) cpb_json_writer_span(a, "overload", g->overload);
  write_opsets(a, g->message);
  cpb_write_strings(a, "attributes", g->message, FUNCTION_ATTRIBUTE);
  cpb_onnx_write_attributes(a, "attribute_defaults", &m->whole.part, g->message, FUNCTION_DEFAULT);
  cpb_onnx_write_metadata(a, g->message, FUNCTION_METADATA);
}

void cpb_onnx_function(cpb_onnx_model *m) {
  uint32_t graph;
  size_t count;
  if (!cpb_onnx_graph_named(m, cpb_onnx_name(m), &graph)) return;
  cpb_json_writer *a = m->whole.answer;
  const cpb_onnx_graph *g = &m->graphs.items[graph];
  cpb_span doc = cpb_get_bytes(g->message, is_function(g) ? FUNCTION_DOC : GRAPH_DOC);
  cpb_onnx_write_graph_name(m, "name", graph);
  cpb_json_writer_text(a, "is", kind_name(g->kind));
  write_ends(m, g, false);
  write_ends(m, g, true);
  cpb_json_writer_unsigned(a, "nodes", g->nodes);
  write_own_members(m, g);
  if (doc.size > 0) cpb_json_writer_span(a, "doc", doc);
  const cpb_call *calls = cpb_calls_by(&m->graphs.calls, graph, &count);
  write_calls(m, "calls", calls, count, false);
  const cpb_call *callers = cpb_calls_of(&m->graphs.calls, graph, &count);
  write_calls(m, "called_by", callers, count, true);
}

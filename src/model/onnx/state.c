#include "model/onnx/state.h"

#include "base/status.h"

bool cpb_onnx_fail_memory(cpb_onnx_model *m) {
  cpb_fail_memory(m->error);
  return false;
}

bool cpb_onnx_not_found(cpb_onnx_model *m, const char *what, cpb_span name) {
  char text[128];
  const cpb_error *damage = m->part.damage.code != CPB_OK ? &m->part.damage : &m->damage;
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  cpb_fail(m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"%s%s", what, text,
           damage->code != CPB_OK ? " in what can be read of the model: " : "",
           damage->code != CPB_OK ? damage->message : "");
  return false;
}

bool cpb_onnx_graph_named(cpb_onnx_model *m, cpb_span name, uint32_t *graph) {
  *graph = 0;
  if (!name.data) return true;
  if (!cpb_onnx_graph_find(&m->graphs, name, m->meter, graph, m->error)) return false;
  return *graph != CPB_NO_GRAPH || cpb_onnx_not_found(m, "function or subgraph", name);
}

void cpb_onnx_write_graph_name(cpb_onnx_model *m, const char *key, uint32_t graph) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->allocator);
  if (graph == 0) cpb_json_writer_null(m->answer, key);
  else if (cpb_onnx_graph_name(&m->graphs, graph, &text))
    cpb_json_writer_span(m->answer, key, (cpb_span){text.data, text.size});
  else m->answer->failed = true;
  cpb_buffer_free(&text);
}

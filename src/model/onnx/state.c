#include "model/onnx/state.h"

bool cpb_onnx_graph_named(cpb_onnx_model *m, cpb_span name, uint32_t *graph) {
  *graph = 0;
  if (!name.data) return true;
  if (!cpb_onnx_graph_find(&m->graphs, name, m->whole.meter, graph, m->whole.error)) return false;
  return *graph != CPB_NO_GRAPH || cpb_whole_not_found(&m->whole, "function or subgraph", name);
}

void cpb_onnx_write_graph_name(cpb_onnx_model *m, const char *key, uint32_t graph) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->whole.allocator);
  if (graph == 0) cpb_json_writer_null(m->whole.answer, key);
  else if (cpb_onnx_graph_name(&m->graphs, graph, &text))
    cpb_json_writer_span(m->whole.answer, key, (cpb_span){text.data, text.size});
  else m->whole.answer->failed = true;
  cpb_buffer_free(&text);
}

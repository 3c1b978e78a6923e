#include "model/coreml/state.h"

#include "model/coreml/constants.h"

bool cpb_coreml_graph_named(cpb_coreml_model *m, cpb_span name, uint32_t *graph) {
  *graph = 0;
  if (!name.data) return true;
  if (!cpb_coreml_graph_find(&m->graphs, name, m->whole.meter, graph, m->whole.error)) return false;
  return *graph != CPB_NO_GRAPH || cpb_whole_not_found(&m->whole, "function or subgraph", name);
}

void cpb_coreml_write_graph_name(cpb_coreml_model *m, const char *key, uint32_t graph) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->whole.allocator);
  if (graph == 0) cpb_json_writer_null(m->whole.answer, key);
  else if (cpb_coreml_graph_name(&m->graphs, graph, &text))
    cpb_json_writer_span(m->whole.answer, key, (cpb_span){text.data, text.size});
  else m->whole.answer->failed = true;
  cpb_buffer_free(&text);
}

void cpb_coreml_write_constant_name(cpb_coreml_model *m, const char *key, const cpb_coreml_constant *c) {
  cpb_buffer text;
  cpb_buffer_init(&text, &m->whole.allocator);
  if (cpb_coreml_constant_name(c, &text)) cpb_json_writer_span(m->whole.answer, key, (cpb_span){text.data, text.size});
  else m->whole.answer->failed = true;
  cpb_buffer_free(&text);
}

#include "model/coreml/ask/ops.h"

#include "model/common/uses.h"
#include "model/coreml/nodes.h"

/* Layers and operations that their author brings code for. */
static bool is_custom(cpb_span op) { return cpb_span_is(op, "custom") || cpb_span_is(op, "custom_layer"); }

static void write_use(cpb_json_writer *a, const cpb_use *u) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "op", u->op);
  cpb_json_writer_unsigned(a, "count", u->graph + u->functions);
  cpb_json_writer_unsigned(a, "in_graph", u->graph);
  cpb_json_writer_unsigned(a, "in_functions", u->functions);
  cpb_json_writer_text(a, "from", is_custom(u->op) ? "custom" : "coreml");
  cpb_json_writer_close(a, '}');
}

static void write_uses(cpb_coreml_model *m, cpb_uses *list) {
  cpb_json_writer *a = m->whole.answer;
  cpb_uses_join(list);
  cpb_page page = cpb_coreml_open_page(m, "ops");
  for (size_t i = 0; i < list->count; i++) {
    if (cpb_page_has(&page)) write_use(a, &list->items[i]);
  }
  cpb_page_close(a, &page);
  cpb_json_writer_open(a, "custom", '[');
  for (size_t i = 0; i < list->count; i++) {
    if (is_custom(list->items[i].op)) cpb_json_writer_span(a, NULL, list->items[i].op);
  }
  cpb_json_writer_close(a, ']');
}

/* What is no text of the model is not counted by name: a layer or a model of a type that is not known. */
static bool count_graph(cpb_coreml_model *m, uint32_t graph, cpb_uses *list) {
  cpb_coreml_node node;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(&m->graphs.items[graph]);
  while (cpb_coreml_nodes_next(&nodes, &node)) {
    const bool is_made = node.op.data == (const uint8_t *)nodes.op;
    const cpb_span op = is_made ? cpb_span_of("unknown") : node.op;
    if (!cpb_uses_add(list, (cpb_span){NULL, 0}, op, graph == 0)) return cpb_whole_fail_memory(&m->whole);
  }
  return true;
}

static void write_counts(cpb_coreml_model *m) {
  uint64_t nodes = 0;
  cpb_json_writer *a = m->whole.answer;
  for (size_t i = 1; i < m->graphs.count; i++) nodes += m->graphs.items[i].nodes;
  cpb_json_writer_unsigned(a, "nodes", m->graphs.items[0].nodes);
  cpb_json_writer_unsigned(a, "functions", m->graphs.count - 1);
  cpb_json_writer_unsigned(a, "function_nodes", nodes);
}

void cpb_coreml_ask_ops(cpb_coreml_model *m) {
  uint32_t graph;
  cpb_uses list;
  if (!cpb_coreml_graph_named(m, cpb_coreml_name(m), &graph)) return;
  const bool all = m->whole.question.name == NULL;
  bool done = true;
  cpb_uses_init(&list, &m->whole.allocator);
  write_counts(m);
  for (uint32_t i = all ? 0 : graph; done && i < (all ? (uint32_t)m->graphs.count : graph + 1); i++)
    done = count_graph(m, i, &list);
  if (done) write_uses(m, &list);
  cpb_uses_free(&list);
}

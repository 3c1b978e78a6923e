#include "model/common/files.h"
#include "model/questions/questions.h"

void cpb_viewed_write_counts(cpb_viewed *m) {
  cpb_json_writer *a = m->answer;
  const cpb_view_graphs *g = &m->view.graphs;
  uint64_t graphs[2] = {0}, nodes[2] = {0}; /* functions, and graphs within nodes */
  for (size_t i = 1; i < g->count; i++) {
    if (g->items[i].role == CPB_GRAPH_TRAINING) continue;
    graphs[g->items[i].is_within]++;
    nodes[g->items[i].is_within] += g->items[i].nodes;
  }
  cpb_json_writer_unsigned(a, "nodes", g->items[0].nodes);
  cpb_json_writer_unsigned(a, "subgraphs", graphs[true]);
  cpb_json_writer_unsigned(a, "subgraph_nodes", nodes[true]);
  cpb_json_writer_unsigned(a, "functions", graphs[false]);
  cpb_json_writer_unsigned(a, "function_nodes", nodes[false]);
}

typedef struct totals {
  cpb_parameters parameters;
  cpb_files files;
} totals;

static bool add_item(totals *t, const cpb_view_item *item) {
  const cpb_view_measure *one = &item->measure;
  const bool known = one->has_elements;
  if (one->file.data && !item->is_copy && !cpb_files_add(&t->files, one->file, one->size)) return false;
  if (!cpb_view_item_counts(item)) return true;
  t->parameters.tensors++;
  cpb_parameters_add(&t->parameters, known ? one->elements : 0, known ? one->bytes : 0, one->size, false);
  return true;
}

void cpb_viewed_write_parameters(cpb_viewed *m) {
  totals t = {.parameters = {0}};
  const cpb_inventory *l = cpb_viewed_inventory(m);
  bool done = l != NULL;
  if (!l) return;
  cpb_files_init(&t.files, &m->allocator);
  for (size_t i = 0; done && i < l->count; i++) done = add_item(&t, &l->items[i]);
  if (!done) cpb_viewed_fail_memory(m);
  cpb_parameters_write(&t.parameters, m->answer);
  cpb_files_write(&t.files, m->answer);
  cpb_files_free(&t.files);
}

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

cpb_parameters cpb_viewed_parameters(cpb_viewed *m) {
  const cpb_inventory *l = cpb_viewed_inventory(m);
  const cpb_view_kind *kind = m->view.kind;
  cpb_parameters p = {.knows_trainable = kind->trained != NULL};
  for (size_t i = 0; l && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    const cpb_view_measure *one = &item->measure;
    const bool known = one->has_elements;
    if (!cpb_view_item_counts(item)) continue;
    p.tensors++;
    p.partial = p.partial || !known;
    cpb_parameters_add(&p, known ? one->elements : 0, known ? one->bytes : 0, one->size,
                       kind->trained && kind->trained(&item->tensor));
  }
  return p;
}

void cpb_viewed_write_parameters(cpb_viewed *m) {
  const cpb_parameters p = cpb_viewed_parameters(m);
  cpb_parameters_write(&p, m->answer);
}

void cpb_viewed_write_files(cpb_viewed *m) {
  cpb_files files;
  const cpb_inventory *l = cpb_viewed_inventory(m);
  bool done = l != NULL;
  cpb_files_init(&files, &m->allocator);
  for (size_t i = 0; done && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    if (item->measure.file.data && !item->is_copy)
      done = cpb_files_add(&files, item->measure.file, item->measure.size) || cpb_viewed_fail_memory(m);
  }
  if (done) cpb_files_write(&files, m->answer);
  cpb_files_free(&files);
}

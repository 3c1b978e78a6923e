#include "base/checked.h"
#include "model/common/files.h"
#include "model/questions/questions.h"

void cpb_viewed_write_counts(cpb_viewed *m) {
  cpb_json_writer *a = m->whole.answer;
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
  uint64_t tensors, elements, bytes, size;
  cpb_files files;
} totals;

static void add_saturated(uint64_t *to, uint64_t more) {
  if (!cpb_add_u64(*to, more, to)) *to = UINT64_MAX;
}

static bool add_item(totals *t, const cpb_view_item *item) {
  const cpb_view_measure *one = &item->measure;
  if (one->file.data && !item->is_copy && !cpb_files_add(&t->files, one->file, one->size)) return false;
  if (!cpb_view_item_counts(item)) return true;
  t->tensors++;
  if (one->has_elements) add_saturated(&t->elements, one->elements);
  if (one->has_elements) add_saturated(&t->bytes, one->bytes);
  add_saturated(&t->size, one->size);
  return true;
}

void cpb_viewed_write_parameters(cpb_viewed *m) {
  totals t = {.tensors = 0};
  cpb_json_writer *a = m->whole.answer;
  const cpb_inventory *l = cpb_viewed_inventory(m);
  bool done = l != NULL;
  if (!l) return;
  cpb_files_init(&t.files, &m->whole.allocator);
  for (size_t i = 0; done && i < l->count; i++) done = add_item(&t, &l->items[i]);
  if (!done) cpb_whole_fail_memory(&m->whole);
  cpb_json_writer_open(a, "parameters", '{');
  cpb_json_writer_exact_unsigned(a, "total", t.elements);
  cpb_json_writer_exact_unsigned(a, "tensors", t.tensors);
  cpb_json_writer_exact_unsigned(a, "bytes", t.bytes);
  cpb_json_writer_exact_unsigned(a, "size", t.size);
  cpb_json_writer_close(a, '}');
  cpb_files_write(&t.files, a);
  cpb_files_free(&t.files);
}

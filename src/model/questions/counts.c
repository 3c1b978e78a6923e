#include "base/checked.h"
#include "model/common/lists.h"
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
  cpb_parameters p = {.knows_trainable = kind->trained && kind->trained(&m->view, NULL)};
  for (size_t i = 0; l && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    const cpb_view_measure *one = &item->measure;
    const bool known = one->has_elements;
    if (!cpb_view_item_counts(item)) continue;
    p.tensors++;
    p.partial = p.partial || !known;
    cpb_parameters_add(&p, known ? one->elements : 0, known ? one->bytes : 0, one->size,
                       p.knows_trainable && kind->trained(&m->view, &item->tensor));
  }
  return p;
}

void cpb_viewed_write_parameters(cpb_viewed *m) {
  const cpb_parameters p = cpb_viewed_parameters(m);
  cpb_parameters_write(&p, m->answer);
}

/* --- Files beside the model, which have some of its values --------------------------------- */

/* Joined by location: a model of thousands of tensors often has one other file. Tensors that share a place are
 * counted once. */

#define FILES_MOST 1000 /* that are listed */

typedef struct file {
  cpb_span location;
  uint64_t tensors, bytes;
} file;

static int by_location(const void *a, const void *b) {
  return cpb_span_compare(((const file *)a)->location, ((const file *)b)->location);
}

static void join(void *to, const void *from) {
  file *a = to;
  const file *b = from;
  a->tensors += b->tensors;
  cpb_add_saturated(&a->bytes, b->bytes);
}

static void write_files(cpb_json_writer *a, const file *files, size_t count) {
  cpb_json_writer_open(a, "external_data", '[');
  for (size_t i = 0; i < count && i < FILES_MOST; i++) {
    cpb_json_writer_open(a, NULL, '{');
    cpb_json_writer_span(a, "location", files[i].location);
    cpb_json_writer_unsigned(a, "tensors", files[i].tensors);
    cpb_json_writer_exact_unsigned(a, "bytes", files[i].bytes);
    cpb_json_writer_close(a, '}');
  }
  cpb_json_writer_close(a, ']');
}

void cpb_viewed_write_files(cpb_viewed *m) {
  cpb_joined files = {.allocator = m->allocator, .each = sizeof(file), .compare = by_location, .join = join};
  const cpb_inventory *l = cpb_viewed_inventory(m);
  bool done = l != NULL;
  for (size_t i = 0; done && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    const file one = {item->measure.file, 1, item->measure.size};
    if (item->measure.file.data && !item->is_copy) done = cpb_joined_add(&files, &one) || cpb_viewed_fail_memory(m);
  }
  cpb_joined_join(&files);
  if (done) write_files(m->answer, files.items, files.count);
  cpb_joined_free(&files);
}

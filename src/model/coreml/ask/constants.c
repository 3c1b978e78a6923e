#include "model/coreml/ask/constants.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/common/files.h"
#include "model/coreml/makers.h"
#include "model/coreml/tensor_json.h"

/* --- Which there are ------------------------------------------------------------------------ */

/* Texts that are no text of the model are made again: a name from the number of the node. */
typedef struct constant {
  uint64_t size;
  size_t order;
  uint32_t graph;
  bool has_name; /* the node; else its number is it */
  cpb_coreml_node node;
  cpb_coreml_constant of;
} constant;

typedef struct constants {
  cpb_coreml_model *model;
  constant *items;
  size_t count, capacity;
  uint64_t size;
  uint32_t graph; /* that is gone through */
  const cpb_coreml_nodes *nodes;
} constants;

static bool add(void *user, const cpb_coreml_constant *c) {
  constants *list = user;
  void *items = list->items;
  const uint64_t size = cpb_coreml_tensor_of(&list->model->whole.part, c).size;
  if (!cpb_reserve(&list->model->whole.allocator, &items, &list->capacity, list->count + 1, sizeof *list->items))
    return cpb_whole_fail_memory(&list->model->whole);
  list->items = items;
  const bool has_name = c->node->name.data != (const uint8_t *)list->nodes->label;
  list->items[list->count] = (constant){size, list->count, list->graph, has_name, *c->node, *c};
  list->count++;
  if (!cpb_add_u64(list->size, size, &list->size)) list->size = UINT64_MAX;
  return true;
}

/* Calls `visit` with all constants of all graphs; false when it was. */
static bool add_graph(constants *list, uint32_t graph) {
  const cpb_coreml_graph *g = &list->model->graphs.items[graph];
  cpb_coreml_node node;
  cpb_coreml_nodes nodes = cpb_coreml_nodes_of(g);
  list->graph = graph;
  list->nodes = &nodes;
  while (cpb_coreml_nodes_next(&nodes, &node)) {
    if (!cpb_coreml_each_constant(g, &node, add, list)) return false;
  }
  return true;
}

static int largest_first(const void *a, const void *b) {
  const constant *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->order > y->order) - (x->order < y->order);
}

/* --- The answer ---------------------------------------------------------------------------------- */

static void write_constant(cpb_coreml_model *m, constant *c) {
  char number[CPB_COREML_SPARE];
  cpb_json_writer *a = m->whole.answer;
  const cpb_coreml_tensor tensor = cpb_coreml_tensor_of(&m->whole.part, &c->of);
  if (!c->has_name) c->node.name = cpb_coreml_number(c->node.number, number);
  c->of.node = &c->node;
  cpb_json_writer_open(a, NULL, '{');
  cpb_coreml_write_constant_name(m, "node", &c->of);
  cpb_json_writer_text(a, "is", c->of.is_weights ? "weights" : c->of.member.data ? "attribute" : "const");
  cpb_coreml_write_graph_name(m, "function", c->graph);
  cpb_coreml_write_tensor(a, &tensor);
  cpb_json_writer_close(a, '}');
}

void cpb_coreml_ask_constants(cpb_coreml_model *m) {
  constants list = {.model = m};
  bool done = true;
  for (size_t i = 0; done && i < m->graphs.count; i++) done = add_graph(&list, (uint32_t)i);
  if (done) {
    if (list.count > 1) qsort(list.items, list.count, sizeof *list.items, largest_first);
    cpb_json_writer_exact_unsigned(m->whole.answer, "size", list.size);
    cpb_page page = cpb_coreml_open_page(m, "constants");
    for (size_t i = 0; i < list.count; i++) {
      if (cpb_page_has(&page)) write_constant(m, &list.items[i]);
    }
    cpb_page_close(m->whole.answer, &page);
  }
  cpb_release(&m->whole.allocator, list.items);
}

/* --- In all ------------------------------------------------------------------------------------------ */

typedef struct totals {
  cpb_coreml_model *model;
  uint64_t elements, bytes, size;
  cpb_files files;
} totals;

static void add_saturated(uint64_t *to, uint64_t more) {
  if (!cpb_add_u64(*to, more, to)) *to = UINT64_MAX;
}

static bool add_to_totals(void *user, const cpb_coreml_constant *c) {
  totals *t = user;
  if (!cpb_coreml_is_weight(c)) return true;
  const cpb_coreml_tensor tensor = cpb_coreml_tensor_of(&t->model->whole.part, c);
  if (tensor.has_elements) add_saturated(&t->elements, tensor.elements);
  if (tensor.has_elements) add_saturated(&t->bytes, tensor.bytes);
  add_saturated(&t->size, tensor.size);
  if (tensor.is_external && !cpb_files_add(&t->files, cpb_coreml_file_of(tensor.location), tensor.size))
    return cpb_whole_fail_memory(&t->model->whole);
  return true;
}

void cpb_coreml_write_parameters(cpb_coreml_model *m) {
  totals t = {.model = m};
  cpb_json_writer *a = m->whole.answer;
  bool done = true;
  cpb_files_init(&t.files, &m->whole.allocator);
  for (size_t i = 0; done && i < m->graphs.count; i++) {
    cpb_coreml_node node;
    cpb_coreml_nodes nodes = cpb_coreml_nodes_of(&m->graphs.items[i]);
    while (done && cpb_coreml_nodes_next(&nodes, &node))
      done = cpb_coreml_each_constant(&m->graphs.items[i], &node, add_to_totals, &t);
  }
  cpb_json_writer_open(a, "parameters", '{');
  cpb_json_writer_exact_unsigned(a, "total", t.elements);
  cpb_json_writer_exact_unsigned(a, "bytes", t.bytes);
  cpb_json_writer_exact_unsigned(a, "size", t.size);
  cpb_json_writer_close(a, '}');
  cpb_files_write(&t.files, a);
  cpb_files_free(&t.files);
}

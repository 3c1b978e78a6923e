#include "model/onnx/ask/layers.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/onnx/ask/initializers.h"

/* ONNX has no layers. Exporters name nodes after the modules that they are of, "/encoder/layer.0/Add": a layer
 * is what nodes have before the last slash; a node without a slash is one by itself. An initializer belongs to
 * the first node that takes it. */
typedef struct layer {
  cpb_span path, op; /* of the first node */
  uint64_t order;    /* of that node */
  uint64_t nodes, tensors, elements, bytes;
} layer;

typedef struct layers {
  cpb_onnx_model *model;
  cpb_names weights;
  cpb_span *messages; /* of the weights, by number; NULL data once one is taken */
  size_t num_messages;
  layer *items;
  size_t count, capacity;
} layers;

/* --- Weights ----------------------------------------------------------------------------------- */

static bool read_weights(layers *l) {
  cpb_span graph = l->model->graphs.items[0].message;
  cpb_cursor c = cpb_cursor_of(graph);
  if (!cpb_onnx_name_initializers(graph, &l->weights)) return false;
  if (l->weights.count == 0) return true;
  l->messages = cpb_alloc(&l->model->allocator, l->weights.count * sizeof *l->messages);
  while (l->messages && l->num_messages < l->weights.count && cpb_cursor_next(&c)) {
    if (c.type != CPB_WIRE_LEN) continue;
    if (c.number == GRAPH_INITIALIZER) l->messages[l->num_messages++] = c.bytes;
    else if (c.number == GRAPH_SPARSE_INITIALIZER)
      l->messages[l->num_messages++] = cpb_get_bytes(c.bytes, SPARSE_VALUES);
  }
  return l->messages != NULL;
}

static void take_weights(layers *l, cpb_span node, layer *to) {
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_INPUT, CPB_WIRE_LEN)) {
    uint32_t i = cpb_names_find(&l->weights, c.bytes);
    if (i == CPB_NO_NAME || !l->messages[i].data) continue;
    const cpb_onnx_tensor t = cpb_onnx_tensor_of(&l->model->part, l->messages[i]);
    l->messages[i].data = NULL;
    to->tensors++;
    if (t.has_elements && !cpb_add_u64(to->elements, t.elements, &to->elements)) to->elements = UINT64_MAX;
    if (t.has_elements && !cpb_add_u64(to->bytes, t.bytes, &to->bytes)) to->bytes = UINT64_MAX;
  }
}

/* --- Layers ------------------------------------------------------------------------------------- */

static cpb_span path_of(cpb_span name) {
  size_t end = name.size;
  while (end > 0 && name.data[end - 1] != '/') end--;
  return end > 1 ? (cpb_span){name.data, end - 1} : name;
}

static bool add_layer(layers *l, layer found) {
  void *items = l->items;
  if (!cpb_reserve(&l->model->allocator, &items, &l->capacity, l->count + 1, sizeof *l->items)) return false;
  l->items = items;
  l->items[l->count++] = found;
  return true;
}

/* Nodes without names are in no layer; what they take is in the one without a path. */
static bool find_layers(layers *l) {
  uint64_t order = 0;
  cpb_cursor c = cpb_cursor_of(l->model->graphs.items[0].message);
  for (; cpb_cursor_find(&c, GRAPH_NODE, CPB_WIRE_LEN); order++) {
    layer found = {path_of(cpb_get_bytes(c.bytes, NODE_NAME)), cpb_get_bytes(c.bytes, NODE_OP), order, 1, 0, 0, 0};
    take_weights(l, c.bytes, &found);
    if (!add_layer(l, found)) return false;
  }
  return true;
}

static int by_path(const void *a, const void *b) {
  const layer *x = a, *y = b;
  int order = cpb_span_compare(x->path, y->path);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b) {
  const layer *x = a, *y = b;
  return (x->order > y->order) - (x->order < y->order);
}

static void add_saturated(uint64_t *to, uint64_t more) {
  if (!cpb_add_u64(*to, more, to)) *to = UINT64_MAX;
}

static void join(layers *l) {
  size_t kept = 0;
  if (l->count > 1) qsort(l->items, l->count, sizeof *l->items, by_path);
  for (size_t i = 0; i < l->count; i++) {
    layer *last = kept > 0 ? &l->items[kept - 1] : NULL;
    if (last && cpb_span_equal(last->path, l->items[i].path)) {
      last->nodes += l->items[i].nodes;
      last->tensors += l->items[i].tensors;
      add_saturated(&last->elements, l->items[i].elements);
      add_saturated(&last->bytes, l->items[i].bytes);
    } else {
      l->items[kept++] = l->items[i];
    }
  }
  l->count = kept;
  if (kept > 1) qsort(l->items, kept, sizeof *l->items, by_order);
}

/* --- The answer ----------------------------------------------------------------------------------- */

static void write_layer(cpb_json_writer *a, const layer *l) {
  cpb_json_writer_open(a, NULL, '{');
  cpb_json_writer_span(a, "name", l->path);
  if (l->nodes == 1) cpb_json_writer_span(a, "class", l->op);
  else cpb_json_writer_null(a, "class");
  cpb_json_writer_unsigned(a, "nodes", l->nodes);
  cpb_json_writer_unsigned(a, "tensors", l->tensors);
  cpb_json_writer_exact_unsigned(a, "parameters", l->elements);
  cpb_json_writer_exact_unsigned(a, "bytes", l->bytes);
  cpb_json_writer_close(a, '}');
}

static bool is_wanted(const cpb_onnx_model *m, cpb_span path) {
  cpb_span name = cpb_onnx_name(m);
  return !name.data || cpb_span_begins(path, name);
}

void cpb_onnx_layers(cpb_onnx_model *m) {
  layers l = {.model = m};
  cpb_names_init(&l.weights, &m->allocator);
  if (read_weights(&l) && find_layers(&l)) {
    join(&l);
    cpb_page page = cpb_onnx_open_page(m, "layers");
    for (size_t i = 0; i < l.count; i++) {
      if (is_wanted(m, l.items[i].path) && cpb_page_has(&page)) write_layer(m->answer, &l.items[i]);
    }
    cpb_page_close(m->answer, &page);
  } else {
    cpb_onnx_fail_memory(m);
  }
  cpb_names_free(&l.weights);
  cpb_release(&m->allocator, l.messages);
  cpb_release(&m->allocator, l.items);
}

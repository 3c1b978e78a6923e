/* Tensors among the attributes of nodes; those of a frozen graph are its parameters. */
#include "model/tensorflow/ask/constants.h"

#include <stdlib.h>

#include "base/checked.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/functions.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/tensors.h"
#include "model/tensorflow/variables.h"

/* --- What counts ------------------------------------------------------------------------------ */

bool cpb_saved_is_frozen(const cpb_saved_model *m) {
  for (size_t i = 0; i < m->objects.count; i++) {
    if (m->objects.items[i].kind == OBJECT_VARIABLE) return false;
  }
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  return !cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN) && (!checkpoint || cpb_checkpoint_count(checkpoint) == 0);
}

/* Floating-point, complex and quantized numbers, more than one: the others are shapes, axes, indices and settings. */
static bool is_weight_like(const cpb_tensor *t, uint64_t *elements) {
  return cpb_dtype_is_weight_like(t->dtype) && cpb_shape_elements(t->shape, elements) && *elements > 1;
}

/* --- The list ------------------------------------------------------------------------------------ */

typedef struct constant {
  uint64_t size;
  size_t order;
  uint32_t function;
  cpb_span node, attr, tensor;
} constant;

typedef struct constants {
  cpb_saved_model *model;
  constant *items;
  size_t count, capacity;
  uint64_t size;
  bool are_weights; /* as far as they are like weights */
} constants;

static bool add_constants(void *user, cpb_span node, uint32_t function) {
  constants *list = user;
  cpb_cursor c = cpb_cursor_of(node);
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    void *items = list->items;
    cpb_span message = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (!message.data) continue;
    const cpb_tensor tensor = cpb_tensor_of(&list->model->graph_part, message);
    if (cpb_tensor_lacks_values(&tensor)) continue;
    if (!cpb_reserve(&list->model->viewed.allocator, &items, &list->capacity, list->count + 1, sizeof *list->items))
      return cpb_viewed_fail_memory(&list->model->viewed);
    list->items = items;
    cpb_span attr = cpb_get_bytes(c.bytes, MAP_KEY);
    list->items[list->count] = (constant){tensor.size, list->count, function, node, attr, message};
    list->count++;
    list->size += tensor.size;
  }
  return true;
}

static int largest_first(const void *a, const void *b) {
  const constant *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->order > y->order) - (x->order < y->order);
}

static void write_constant(cpb_saved_model *m, const constant *c, bool may_count) {
  cpb_tensor tensor = cpb_tensor_of(&m->graph_part, c->tensor);
  uint64_t elements;
  const bool is_weight = may_count && is_weight_like(&tensor, &elements);
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  cpb_json_writer_span(m->viewed.answer, "node", cpb_get_bytes(c->node, NODE_NAME));
  cpb_write_function_name(m, c->function);
  if (!cpb_span_is(c->attr, "value")) cpb_json_writer_span(m->viewed.answer, "attribute", c->attr);
  cpb_json_writer_text(m->viewed.answer, "use",
                       cpb_tensor_use_name(is_weight ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT));
  cpb_json_writer_exact_unsigned(m->viewed.answer, "parameters", is_weight ? elements : 0);
  cpb_write_tensor(m->viewed.answer, &tensor);
  cpb_json_writer_close(m->viewed.answer, '}');
}

void cpb_ask_constants(cpb_saved_model *m) {
  constants list = {.model = m, .are_weights = cpb_saved_is_frozen(m)};
  if (cpb_graph_each_node(&m->graph, add_constants, &list)) {
    if (list.count > 1) qsort(list.items, list.count, sizeof *list.items, largest_first);
    cpb_json_writer_unsigned(m->viewed.answer, "size", list.size);
    cpb_page page = cpb_viewed_page(&m->viewed, "constants");
    for (size_t i = 0; i < list.count; i++) {
      if (cpb_page_has(&page)) write_constant(m, &list.items[i], list.are_weights);
    }
    cpb_page_close(m->viewed.answer, &page);
  }
  cpb_release(&m->viewed.allocator, list.items);
}

/* --- How much ----------------------------------------------------------------------------------- */

typedef struct weights {
  const cpb_saved_model *model;
  cpb_weight_visit *visit;
  void *user;
} weights;

static bool visit_weights(void *user, cpb_span node, uint32_t function) {
  const weights *w = user;
  cpb_cursor c = cpb_cursor_of(node);
  (void)function;
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    uint64_t elements, bits;
    cpb_span message = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (!message.data) continue;
    const cpb_tensor tensor = cpb_tensor_of(&w->model->graph_part, message);
    if (cpb_tensor_lacks_values(&tensor) || !is_weight_like(&tensor, &elements)) continue;
    if (!cpb_mul_u64(elements, cpb_dtype_bits(tensor.dtype), &bits)) bits = UINT64_MAX;
    const cpb_saved_weight weight = {cpb_get_bytes(node, NODE_NAME), elements, bits / 8 + (bits % 8 > 0), tensor.size};
    if (!w->visit(w->user, &weight)) return false;
  }
  return true;
}

bool cpb_saved_each_weight(const cpb_saved_model *m, cpb_weight_visit *visit, void *user) {
  weights w = {m, visit, user};
  return cpb_graph_each_node(&m->graph, visit_weights, &w);
}

static bool count_weight(void *user, const cpb_saved_weight *w) {
  cpb_parameters *p = user;
  p->tensors++;
  cpb_parameters_add(p, w->elements, w->bytes, w->size, false);
  return true;
}

cpb_parameters cpb_saved_constant_parameters(const cpb_saved_model *m) {
  cpb_parameters p = {0};
  cpb_saved_each_weight(m, count_weight, &p);
  return p;
}

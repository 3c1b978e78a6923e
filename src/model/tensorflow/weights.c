#include "model/tensorflow/weights.h"

#include "base/checked.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/variables.h"

/* --- What counts ------------------------------------------------------------------------------ */

/* A frozen model has its weights in constants. Nothing in the file says so: it follows from the absence of
 * variables, in the objects, in the collection, in the checkpoint and among the nodes. A checkpoint may be given after
 * a question, so each question asks again; the inventory is made anew only if the result changes. */

static bool lists_none(const cpb_saved_model *m) {
  for (size_t i = 0; i < m->objects.count; i++)
    if (m->objects.items[i].kind == OBJECT_VARIABLE) return false;
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  const cpb_checkpoint *checkpoint = cpb_saved_checkpoint(m);
  for (size_t i = 0; checkpoint && i < cpb_checkpoint_count(checkpoint); i++)
    if (cpb_stored_is_tensor(cpb_checkpoint_get(checkpoint, i))) return false;
  return !cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN);
}

/* Whether the graph has shapes that nothing else has. */
static bool lacks_shapes(const cpb_saved_model *m) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  if (m->objects.count > 0) return false;
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN))
    if (!cpb_saved_stored_v1(m, c.bytes)) return true;
  return !cpb_saved_checkpoint(m);
}

/* The inventory has a use of each tensor. */
void cpb_saved_find_frozen(cpb_saved_model *m) {
  const bool was_frozen = m->is_frozen;
  if (!m->knows_frozen) {
    m->lists_none = lists_none(m);
    m->lacks_shapes = lacks_shapes(m);
    m->knows_frozen = true;
  }
  m->is_frozen = m->lists_none && !(m->has_graph && m->graph.has_variables);
  m->viewed.has_variables = !m->is_frozen;
  if (m->is_frozen == was_frozen || !m->viewed.has_inventory) return;
  cpb_inventory_free(&m->viewed.inventory);
  m->viewed.has_inventory = false;
}

/* Floating-point, complex and quantized numbers, more than one: the others are shapes, axes, indices and settings. */
cpb_tensor_use cpb_saved_use(const cpb_view *v, const cpb_view_tensor *t, const cpb_view_node *taker, cpb_span role,
                             uint64_t input, cpb_view_measure *m) {
  const cpb_saved_model *model = v->own;
  const bool is_like_one = cpb_dtype_is_weight_like(cpb_get_number(t->message, TENSOR_DTYPE)) && m->elements > 1;
  (void)taker, (void)role, (void)input;
  return model->is_frozen && m->has_elements && is_like_one ? CPB_TENSOR_WEIGHT : CPB_TENSOR_CONSTANT;
}

cpb_view_measure cpb_saved_measure(const cpb_view *v, const cpb_view_tensor *t) {
  const cpb_tensor tensor = cpb_tensor_of(v->part, t->message);
  cpb_view_measure m = {.size = tensor.size};
  m.has_elements = cpb_shape_elements(tensor.shape, &m.elements);
  if (m.has_elements && !cpb_elements_bytes(m.elements, cpb_dtype_bits(tensor.dtype), &m.bytes))
    m.bytes = UINT64_MAX / 8 + 1;
  return m;
}

/* --- All of them ------------------------------------------------------------------------------ */

/* The output of a Const is its value. */
static bool visit_node(const cpb_view *v, cpb_view_tensor t, cpb_view_visit *visit, void *user) {
  cpb_cursor c = cpb_cursor_of(t.node);
  while (cpb_cursor_find(&c, NODE_ATTR, CPB_WIRE_LEN)) {
    t.message = cpb_get_bytes(cpb_get_bytes(c.bytes, MAP_VALUE), ATTR_TENSOR);
    if (!t.message.data) continue;
    const cpb_tensor tensor = cpb_tensor_of(v->part, t.message);
    if (cpb_tensor_lacks_values(&tensor)) continue;
    t.member = cpb_get_bytes(c.bytes, MAP_KEY);
    const bool is_value = cpb_span_is(t.op, "Const") && cpb_span_is(t.member, "value");
    t.value = is_value ? t.node_name : (cpb_span){NULL, 0};
    if (!visit(user, &t)) return false;
  }
  return true;
}

bool cpb_saved_each_tensor(const cpb_view *v, uint32_t graph, cpb_view_visit *visit, void *user) {
  cpb_view_node node;
  cpb_view_nodes nodes = cpb_view_nodes_of(v, graph);
  while (cpb_view_nodes_next(&nodes, &node)) {
    const cpb_view_tensor t = {.graph = graph,
                               .of_node = true,
                               .node_number = node.number,
                               .node = node.message,
                               .node_name = node.own_name,
                               .op = node.op};
    if (!visit_node(v, t, visit, user)) return false;
  }
  return true;
}

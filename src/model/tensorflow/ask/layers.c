/* The layers that Keras describes, and the objects loaded for some of them; without Keras, layers derived from
 * names. */
#include "model/tensorflow/ask/questions.h"

#include "model/common/name_layers.h"
#include "model/keras/keras.h"
#include "model/tensorflow/keras.h"
#include "model/tensorflow/variables.h"
#include "model/tensorflow/weights.h"

typedef bool (*write)(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

static void write_members(cpb_saved_model *m, cpb_keras *keras, void *members) {
  cpb_json_writer_text(m->viewed.answer, "format", cpb_saved_keras_given(m).data ? "keras_metadata" : "saved_model");
  (*(const write *)members)(keras, &m->viewed.question, m->viewed.answer, m->viewed.error);
}

/* --- Without Keras ------------------------------------------------------------------------------ */

typedef struct named {
  cpb_saved_model *model;
  cpb_name_layers list;
  cpb_buffer paths; /* of objects, concatenated; pointers are set once the buffer no longer moves */
} named;

/* Adds the path of the object that has the variable; of the variable itself if that object is the root. */
static bool add_object_path(named *n, uint32_t node, cpb_name_layer *layer) {
  const size_t begin = n->paths.size;
  if (!cpb_objects_path(&n->model->objects, node, &n->paths)) return false;
  size_t end = n->paths.size;
  while (end > begin && n->paths.data[end - 1] != '.') end--;
  const bool in_root = end - begin <= sizeof "root." - 1;
  if (!in_root) n->paths.size = end - 1;
  layer->path = (cpb_span){NULL, n->paths.size - begin};
  return true;
}

static bool add_variable(named *n, const cpb_variable *v) {
  const cpb_span name = v->whole.size > 0 ? v->whole : v->name;
  cpb_name_layer layer = {.path = cpb_name_layer_path(name), .sum.tensors = v->is_first};
  const bool has_scope = layer.path.size < name.size;
  if (v->use != CPB_TENSOR_WEIGHT || v->copy_of != CPB_NO_OBJECT) return true;
  layer.op = has_scope ? cpb_keras_class_of_name(layer.path) : (cpb_span){NULL, 0};
  layer.has_class = layer.op.data != NULL;
  if (!v->is_open) { /* layers are the same without the checkpoint */
    layer.sum.elements = cpb_variable_parameters(v);
    layer.sum.bytes = v->bytes;
  }
  if (!has_scope && v->node != CPB_NO_OBJECT && !add_object_path(n, v->node, &layer)) return false;
  return cpb_name_layers_add(&n->list, layer);
}

static bool add_variables(named *n, const cpb_variable_list *l) {
  const uint8_t *at;
  for (size_t i = 0; i < l->count; i++)
    if (!add_variable(n, &l->items[i])) return false;
  at = n->paths.data;
  for (size_t i = 0; at && i < n->list.list.count; i++) {
    cpb_span *path = &((cpb_name_layer *)n->list.list.items)[i].path;
    if (path->data) continue;
    path->data = at;
    at += path->size;
  }
  return true;
}

/* A frozen variable is named after the node that read it. */
static cpb_span without_reading(cpb_span name) {
  return cpb_span_without_end(cpb_span_without_end(name, "/resource"), "/ReadVariableOp");
}

static bool add_constants(named *n) {
  const cpb_inventory *l = cpb_viewed_inventory(&n->model->viewed);
  for (size_t i = 0; l && i < l->count; i++) {
    const cpb_view_item *item = &l->items[i];
    const cpb_span name = without_reading(item->tensor.node_name);
    cpb_name_layer layer = {.path = cpb_name_layer_path(name)};
    if (!cpb_view_item_counts(item)) continue;
    cpb_layer_sum_add(&layer.sum, true, item->measure.elements, item->measure.bytes);
    if (!cpb_name_layers_add(&n->list, layer)) return false;
  }
  return l != NULL;
}

static bool find_named(named *n, const cpb_variable_list *l) {
  return n->model->is_frozen ? add_constants(n) : add_variables(n, l);
}

static void write_named(cpb_saved_model *m) {
  cpb_variable_list list = {.allocator = m->viewed.allocator};
  named n = {.model = m};
  n.list = cpb_name_layers_on(&m->viewed.allocator);
  n.list.list.late = true; /* some paths move while others are added */
  cpb_buffer_init(&n.paths, &m->viewed.allocator);
  if (cpb_saved_link(m) && cpb_variable_list_build(&list, m)) {
    cpb_json_writer_text(m->viewed.answer, "source", m->is_frozen ? "names" : "variables");
    if (find_named(&n, &list)) cpb_name_layers_write(&n.list, &m->viewed.question, m->viewed.answer);
    else cpb_viewed_fail_memory(&m->viewed);
  }
  cpb_variable_list_free(&list);
  cpb_name_layers_free(&n.list);
  cpb_buffer_free(&n.paths);
}

/* --- The answers ---------------------------------------------------------------------------------- */

void cpb_ask_layers(cpb_saved_model *m) {
  if (!m->is_graph && cpb_saved_has_layers(m)) cpb_saved_use_keras(m, write_members, &(write){cpb_keras_layers});
  else write_named(m);
}

void cpb_ask_load(cpb_saved_model *m) { cpb_saved_use_keras(m, write_members, &(write){cpb_keras_load}); }

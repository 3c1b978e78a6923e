#include "model/tensorflow/variable_list.h"

#include "base/checked.h"
#include "model/common/tensor/dtypes.h"
#include "model/common/tensor/shapes.h"
#include "model/tensorflow/copies.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/nodes.h"
#include "model/tensorflow/variable_uses.h"
#include "model/tensorflow/variables.h"

void cpb_variable_list_free(cpb_variable_list *l) {
  cpb_release(&l->allocator, l->items);
  *l = (cpb_variable_list){.allocator = l->allocator};
}

static bool add(cpb_variable_list *l, const cpb_variable *v) {
  void *items = l->items;
  if (!cpb_reserve(&l->allocator, &items, &l->capacity, l->count + 1, sizeof *l->items)) return false;
  l->items = items;
  l->items[l->count] = *v;
  cpb_variable *own = &l->items[l->count++];
  uint64_t bits;
  own->has_elements = own->has_elements && cpb_mul_u64(own->elements, cpb_dtype_bits(own->dtype), &bits);
  own->bytes = own->has_elements ? bits / 8 + (bits % 8 > 0) : 0;
  return true;
}

static cpb_span without_output(cpb_span name) {
  const bool has = name.size > 2 && memcmp(name.data + name.size - 2, ":0", 2) == 0;
  return has ? (cpb_span){name.data, name.size - 2} : name;
}

/* --- Objects ------------------------------------------------------------------------------------ */

static bool add_objects(cpb_variable_list *l, const cpb_saved_model *m, const uint32_t *copies) {
  for (uint32_t i = 0; i < m->objects.count; i++) {
    cpb_variable v = {.node = i, .is_first = true, .copy_of = copies[i], .stored = cpb_saved_stored(m, i)};
    if (cpb_object_kind(&m->objects.items[i], &v.message) != OBJECT_VARIABLE) continue;
    v.name = without_output(cpb_get_bytes(v.message, VARIABLE_NAME));
    v.dtype = cpb_get_number(v.message, VARIABLE_DTYPE);
    v.shape = cpb_get_shape(v.message, VARIABLE_SHAPE);
    v.has_elements = cpb_shape_elements(v.shape, &v.elements);
    v.trainable = cpb_get_number(v.message, VARIABLE_TRAINABLE) != 0;
    if (!add(l, &v)) return false;
  }
  return true;
}

static bool list_objects(cpb_variable_list *l, const cpb_saved_model *m) {
  uint32_t *copies = cpb_find_copies(&m->objects);
  const bool done = copies && add_objects(l, m, copies);
  cpb_release(&m->viewed.allocator, copies);
  return done;
}

/* --- TensorFlow 1 --------------------------------------------------------------------------------- */

static bool name_trainable(cpb_names *names, const cpb_saved_model *m) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "trainable_variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    if (!cpb_names_add(names, cpb_get_bytes(c.bytes, VARIABLE_DEF_NAME), 0)) return false;
  }
  cpb_names_sort(names);
  return true;
}

/* The elements of a part, and whether it begins where the whole does. */
static void measure_part(cpb_variable *v) {
  cpb_varints offsets = cpb_varints_of(v->extents, SLICE_OFFSET), sizes = cpb_varints_of(v->extents, SLICE_SHAPE);
  uint64_t number;
  v->elements = 1;
  v->has_elements = true;
  v->is_first = true;
  while (cpb_varints_next(&offsets, &number)) v->is_first = v->is_first && number == 0;
  while (cpb_varints_next(&sizes, &number))
    v->has_elements = v->has_elements && cpb_mul_u64(v->elements, number, &v->elements);
}

static void measure_stored(cpb_variable *v) {
  v->elements = 1;
  v->has_elements = true;
  for (uint32_t i = 0; i < v->stored->rank; i++)
    v->has_elements = v->has_elements && cpb_mul_u64(v->elements, v->stored->shape[i], &v->elements);
}

/* Without a checkpoint the node says it, if the graph was read. */
static void measure_node(cpb_variable *v, const cpb_nodes *nodes) {
  const uint32_t i = cpb_names_find(&nodes->names, v->name);
  if (i == CPB_NO_NAME || !cpb_node_is_variable(nodes->items[i])) return;
  v->dtype = cpb_get_number(cpb_node_attr(nodes->items[i], "dtype"), ATTR_TYPE);
  v->shape = cpb_get_bytes(cpb_node_attr(nodes->items[i], "shape"), ATTR_SHAPE);
  v->has_elements = cpb_shape_elements(v->shape, &v->elements);
}

static cpb_variable read_definition(const cpb_saved_model *m, cpb_span message, const cpb_names *trainable,
                                    const cpb_nodes *nodes) {
  const cpb_span name = cpb_get_bytes(message, VARIABLE_DEF_NAME);
  cpb_variable v = {.node = CPB_NO_OBJECT,
                    .message = message,
                    .name = without_output(name),
                    .extents = cpb_get_bytes(message, VARIABLE_DEF_SLICE),
                    .is_first = true,
                    .copy_of = CPB_NO_OBJECT,
                    .stored = cpb_saved_stored_v1(m, message)};
  v.whole = cpb_get_bytes(v.extents, SLICE_OF_NAME);
  v.trainable = cpb_get_number(message, VARIABLE_DEF_TRAINABLE) != 0 || cpb_names_find(trainable, name) != CPB_NO_NAME;
  if (v.stored) measure_stored(&v);
  else if (nodes) measure_node(&v, nodes);
  if (v.stored) v.dtype = v.stored->dtype;
  if (v.whole.size > 0) measure_part(&v);
  return v;
}

static bool add_collection(cpb_variable_list *l, const cpb_saved_model *m, const cpb_names *trainable,
                           const cpb_nodes *nodes) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(cpb_saved_collection(m, "variables"), COLLECTION_BYTES));
  while (cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) {
    const cpb_variable v = read_definition(m, c.bytes, trainable, nodes);
    if (!add(l, &v)) return false;
  }
  return true;
}

static bool list_collection(cpb_variable_list *l, const cpb_saved_model *m) {
  const bool has_checkpoint = cpb_saved_checkpoint(m) != NULL;
  cpb_names trainable;
  cpb_nodes nodes = {.count = 0};
  cpb_names_init(&trainable, &m->viewed.allocator);
  bool done = has_checkpoint || cpb_nodes_build(&nodes, &m->graph);
  done = done && name_trainable(&trainable, m) && add_collection(l, m, &trainable, has_checkpoint ? NULL : &nodes);
  cpb_names_free(&trainable);
  if (!has_checkpoint) cpb_nodes_free(&nodes);
  return done;
}

/* --- The list --------------------------------------------------------------------------------------- */

bool cpb_variable_list_build(cpb_variable_list *l, cpb_saved_model *m) {
  const bool has_objects = m->objects.count > 0;
  *l = (cpb_variable_list){.allocator = m->viewed.allocator};
  if (!cpb_meter_charge(m->viewed.meter, CPB_WORK_WALKED, 4 * (uint64_t)m->meta.size, CPB_NO_OFFSET, m->viewed.error))
    return false;
  const bool done = has_objects ? list_objects(l, m) : list_collection(l, m);
  if (!done || !cpb_find_variable_uses(&m->objects, l)) return cpb_viewed_fail_memory(&m->viewed);
  return cpb_meter_charge(m->viewed.meter, CPB_WORK_ENTRIES, l->count, CPB_NO_OFFSET, m->viewed.error);
}

cpb_parameters cpb_variable_list_parameters(const cpb_variable_list *l) {
  cpb_parameters p = {.knows_trainable = true};
  for (size_t i = 0; i < l->count; i++) {
    const cpb_variable *v = &l->items[i];
    if (v->use != CPB_TENSOR_WEIGHT || v->copy_of != CPB_NO_OBJECT) continue;
    const bool stored = v->stored && v->whole.size == 0 && v->stored->slices == 0;
    p.tensors += v->is_first;
    p.partial = p.partial || !v->has_elements;
    cpb_parameters_add(&p, cpb_variable_parameters(v), v->bytes, stored ? v->stored->size : v->bytes, v->trainable);
  }
  return p;
}

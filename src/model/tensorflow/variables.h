/* Maps the variables of a SavedModel to keys in the checkpoint next to it.
 *
 * The object graph in saved_model.pb does not have the keys. The checkpoint has its own object graph, under a key,
 * which does: the same objects with the same names of children, but only those with something to store. So both graphs
 * are walked from their roots. If the file with that graph is missing, paths to variables are compared with keys.
 * TensorFlow 1 used the names of variables as keys. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLES_H
#define CPB_MODEL_TENSORFLOW_VARIABLES_H

#include "model/checkpoint/checkpoint.h"
#include "model/common/answer.h"
#include "model/tensorflow/state.h"

/* --- variable --------------------------------------------------------------------------------- */

/* A variable of a meta graph, and its use in the model. */

typedef struct cpb_variable {
  uint32_t node;                   /* in the object graph; CPB_NO_OBJECT for a variable of TensorFlow 1 */
  cpb_span message;                /* SavedVariable; VariableDef */
  cpb_span name;                   /* without ":0" */
  cpb_span whole;                  /* for a part of a partitioned variable, the name of the whole; else empty */
  bool is_first;                   /* it is whole, or the first part */
  uint32_t copy_of;                /* an object, or CPB_NO_OBJECT */
  const struct cpb_stored *stored; /* for a part, the entry of the whole; may be NULL */
  uint64_t dtype;                  /* 0: unknown */
  cpb_span shape;                  /* TensorShapeProto, or empty: then `extents` or the entry has the shape */
  cpb_span extents;                /* for a part: SaveSliceInfoDef */
  bool has_elements, trainable;
  bool is_open; /* its shape is not known to the model: `elements` are those of the entry */
  uint64_t elements, bytes;
  cpb_tensor_use use;
} cpb_variable;

typedef struct cpb_variable_list {
  cpb_allocator allocator;
  cpb_variable *items; /* objects in their order, or those of the collection */
  size_t count, capacity;
  bool of_nodes; /* nothing but the graph has them: which are trained is unknown */
} cpb_variable_list;

/* The number of elements that it adds to the parameters. */
static inline uint64_t cpb_variable_parameters(const cpb_variable *v) {
  return v->use == CPB_TENSOR_WEIGHT && v->copy_of == CPB_NO_OBJECT && v->has_elements ? v->elements : 0;
}

/* --- variable list ---------------------------------------------------------------------------- */

/* All variables of a meta graph, each with its use. This is the only place that decides which of them are the model's
 * parameters, for every answer (docs/inspecting.md, "What counts as a parameter"). */

/* Call it after cpb_saved_link(). False with m->viewed.error set; free `list` then as well. */
bool cpb_variable_list_build(cpb_variable_list *list, cpb_saved_model *m);
void cpb_variable_list_free(cpb_variable_list *list);

/* The totals of all variables. */
cpb_parameters cpb_variable_list_parameters(const cpb_variable_list *list);

/* --- variables -------------------------------------------------------------------------------- */

/* False if memory is short. Drops the data from an earlier checkpoint. */
int cpb_saved_set_checkpoint(void *reader, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size);
void cpb_saved_forget_checkpoint(cpb_saved_model *m);
/* Forgets the data of the meta graph. */
void cpb_saved_forget_links(cpb_saved_model *m);

/* NULL if none was given. */
const cpb_checkpoint *cpb_saved_checkpoint(const cpb_saved_model *m);

/* Call it after the skeleton was read: links the variables if there is a checkpoint, unless they are linked already.
 * False with the error set if memory is short. */
bool cpb_saved_link(cpb_saved_model *m);
/* The checkpoint's entry of the object, or NULL. */
const cpb_stored *cpb_saved_stored(const cpb_saved_model *m, uint32_t node);
/* The checkpoint's entry of a TensorFlow 1 variable, a VariableDef, or NULL. */
const cpb_stored *cpb_saved_stored_v1(const cpb_saved_model *m, cpb_span variable);
/* Whether the checkpoint's i-th entry belongs to a variable; also true for entries that no variable can have, such as a
 * slice or the object graph. */
bool cpb_saved_is_claimed(const cpb_saved_model *m, size_t i);

#endif

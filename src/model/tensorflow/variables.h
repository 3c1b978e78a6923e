/* Maps the variables of a SavedModel to keys in the checkpoint next to it.
 *
 * The object graph in saved_model.pb does not have the keys. The checkpoint has its own object graph, under a key,
 * which does: the same objects with the same names of children, but only those with something to store. So both graphs
 * are walked from their roots. TensorFlow 1 used the names of variables as keys. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLES_H
#define CPB_MODEL_TENSORFLOW_VARIABLES_H

#include "model/checkpoint/checkpoint.h"
#include "model/tensorflow/state.h"

/* False if memory is short. Drops the data from an earlier checkpoint. */
bool cpb_saved_set_checkpoint(cpb_saved_model *m, const cpb_checkpoint *checkpoint, const void *object_graph,
                              size_t size);
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

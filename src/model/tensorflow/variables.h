/* Which variable of a SavedModel has which key in the checkpoint beside it.
 *
 * The object graph in saved_model.pb does not say. The checkpoint has an object graph of its
 * own, under a key, that does: the same objects with the same names of their children, but
 * only those that have something to store. So both are walked from their roots. TensorFlow 1
 * had names for keys. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLES_H
#define CPB_MODEL_TENSORFLOW_VARIABLES_H

#include "model/checkpoint/checkpoint.h"
#include "model/tensorflow/state.h"

/* False when memory is short. What was made of another one goes. */
bool cpb_saved_set_checkpoint(cpb_saved_model *m, const cpb_checkpoint *checkpoint, const void *object_graph,
                              size_t size);
void cpb_saved_forget_checkpoint(cpb_saved_model *m);
/* Forgets what belongs to the meta graph. */
void cpb_saved_forget_links(cpb_saved_model *m);

/* NULL when none was given. */
const cpb_checkpoint *cpb_saved_checkpoint(const cpb_saved_model *m);

/* After the skeleton: makes the links if there is a checkpoint and they are not made yet.
 * False with the error set when memory is short. */
bool cpb_saved_link(cpb_saved_model *m);
/* What is stored of the object, or NULL. */
const cpb_stored *cpb_saved_stored(const cpb_saved_model *m, uint32_t node);
/* What is stored of a variable of TensorFlow 1, a VariableDef, or NULL. */
const cpb_stored *cpb_saved_stored_v1(const cpb_saved_model *m, cpb_span variable);
/* Whether a variable has the i-th of what is stored; or it is not a variable's at all, but
 * a part of another one or the object graph. */
bool cpb_saved_is_claimed(const cpb_saved_model *m, size_t i);

#endif

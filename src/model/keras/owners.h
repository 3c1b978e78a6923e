/* Which layer a variable belongs to, by the object graph. */
#ifndef CPB_MODEL_KERAS_OWNERS_H
#define CPB_MODEL_KERAS_OWNERS_H

#include "base/json_writer.h"
#include "model/keras/layers.h"

/* By node of the object graph: the innermost layer that has the variable, or CPB_KERAS_NONE. Made once; NULL
 * without an object graph, and when memory is short or `charged` has failed, which it then has. */
const uint32_t *cpb_keras_owners(cpb_keras *keras, cpb_json_writer *charged);

/* The variables of a layer, without those of layers in it; after cpb_keras_owners(). */
typedef struct cpb_keras_variables {
  const cpb_keras_graph *graph;
  uint32_t layer, home; /* which, and where it stands if it is shared */
  uint32_t node;        /* whose children are looked at */
  bool none;
  uint64_t place;
} cpb_keras_variables;

cpb_keras_variables cpb_keras_variables_of(const cpb_keras *keras, uint32_t layer, cpb_json_writer *charged);
/* The next one, each once; false when there is none. */
bool cpb_keras_variables_next(cpb_keras *keras, cpb_keras_variables *variables, uint32_t *node,
                              cpb_json_writer *charged);

#endif

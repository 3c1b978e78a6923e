/* CONSTANTS: of the graph and its functions. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_CONSTANTS_H
#define CPB_MODEL_TENSORFLOW_ASK_CONSTANTS_H

#include "model/common/parameters.h"
#include "model/tensorflow/state.h"

void cpb_ask_constants(cpb_saved_model *m);

/* Whether there are no variables: constants are then the weights. */
bool cpb_saved_is_frozen(const cpb_saved_model *m);

/* After the graph: constants that are weights, if it is frozen, in the order of the nodes. */
typedef struct cpb_saved_weight {
  cpb_span node;
  uint64_t elements, bytes, size; /* as of cpb_parameters */
} cpb_saved_weight;
typedef bool cpb_weight_visit(void *user, const cpb_saved_weight *weight);
bool cpb_saved_each_weight(const cpb_saved_model *m, cpb_weight_visit *visit, void *user);
cpb_parameters cpb_saved_constant_parameters(const cpb_saved_model *m);

#endif

/* Computes the number of parameters of a layer from its config. */
#ifndef CPB_MODEL_KERAS_RULES_H
#define CPB_MODEL_KERAS_RULES_H

#include "model/keras/layers.h"

typedef struct cpb_keras_count {
  uint64_t all, trainable;
  bool complete; /* false: there may be more parameters */
} cpb_keras_count;

/* Counts the layer itself from its config, as if it were trainable. */
cpb_keras_count cpb_keras_count_own(const cpb_keras *keras, const cpb_keras_layer *layer);

#endif

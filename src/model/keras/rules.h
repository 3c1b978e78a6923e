/* How many parameters a layer has, by what its config says. */
#ifndef CPB_MODEL_KERAS_RULES_H
#define CPB_MODEL_KERAS_RULES_H

#include "model/keras/layers.h"

typedef struct cpb_keras_count {
  uint64_t all, trainable;
  bool complete; /* false: there may be more */
} cpb_keras_count;

/* Of the layer itself, by what its config says; as if trainable. */
cpb_keras_count cpb_keras_count_own(const cpb_keras *keras, const cpb_keras_layer *layer);

#endif

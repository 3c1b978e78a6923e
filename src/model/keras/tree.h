/* The layer tree, where objects and the configs of the models that hold them are put together. */
#ifndef CPB_MODEL_KERAS_TREE_H
#define CPB_MODEL_KERAS_TREE_H

#include "model/keras/layers.h"

/* Makes keras->layers. False when memory is short. */
bool cpb_keras_grow_tree(cpb_keras *keras);

#endif

/* Weights that a SavedModel has twice.
 *
 * Keras 3's ExportArchive (model.export) keeps two lists: `variables`, which are Keras's objects, and
 * `_all_variables`, the TensorFlow variable within each of them. TensorFlow saves both, under one name;
 * the functions that it saves use the former. */
#ifndef CPB_MODEL_TENSORFLOW_COPIES_H
#define CPB_MODEL_TENSORFLOW_COPIES_H

#include "model/tensorflow/objects.h"

/* By node: CPB_NO_OBJECT, or the variable that this one is a copy of. To be
 * released; NULL when memory is short. */
uint32_t *cpb_find_copies(const cpb_objects *objects);

#endif

/* What variables are to the model: by the objects that have them, and by their names. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLE_USES_H
#define CPB_MODEL_TENSORFLOW_VARIABLE_USES_H

#include "model/tensorflow/variable.h"

/* Fills in `use` of all, and `trainable` where a list of the root object says more than they do. False when memory is
 * short. */
bool cpb_find_variable_uses(const cpb_objects *objects, cpb_variable_list *list);

#endif

/* OBJECTS: the object graph. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_OBJECTS_H
#define CPB_MODEL_TENSORFLOW_ASK_OBJECTS_H

#include "model/tensorflow/state.h"

void cpb_ask_objects(cpb_saved_model *m);

#endif

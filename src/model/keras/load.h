/* Which nodes of the object graph are loaded for some of the objects. */
#ifndef CPB_MODEL_KERAS_LOAD_H
#define CPB_MODEL_KERAS_LOAD_H

#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/keras/layers.h"

/* "paths", "nodes" (a page) and "missing", for the paths in question->name, one a line. */
bool cpb_keras_load(cpb_keras *keras, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif

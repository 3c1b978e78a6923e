/* The reader of SavedModels and of separate graphs. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_SAVED_MODEL_H
#define CPB_MODEL_TENSORFLOW_ASK_SAVED_MODEL_H

#include "model/common/model_reader.h"

extern const cpb_model_reader cpb_saved_model_reader; /* SAVED_MODEL, GRAPH_DEF */

#endif

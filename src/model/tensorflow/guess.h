/* How well the beginning of a file fits a SavedModel, a MetaGraphDef and a GraphDef (common/evidence.h). */
#ifndef CPB_MODEL_TENSORFLOW_GUESS_H
#define CPB_MODEL_TENSORFLOW_GUESS_H

#include "model/common/evidence.h"

int cpb_saved_model_guess(cpb_span begin);
int cpb_meta_graph_guess(cpb_span begin);
int cpb_graph_def_guess(cpb_span begin);

#endif

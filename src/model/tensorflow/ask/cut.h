/* CUT: a model cut down to some of its objects. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_CUT_H
#define CPB_MODEL_TENSORFLOW_ASK_CUT_H

#include "model/tensorflow/state.h"

void cpb_ask_cut(cpb_saved_model *m);

#endif

/* SEARCH. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_SEARCH_H
#define CPB_MODEL_TENSORFLOW_ASK_SEARCH_H

#include "model/tensorflow/state.h"

void cpb_ask_search(cpb_saved_model *m);

#endif

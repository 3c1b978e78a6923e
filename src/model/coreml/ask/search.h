/* SEARCH: a text in the names of anything. */
#ifndef CPB_MODEL_COREML_ASK_SEARCH_H
#define CPB_MODEL_COREML_ASK_SEARCH_H

#include "model/coreml/state.h"

void cpb_coreml_ask_search(cpb_coreml_model *m);

#endif

/* OVERVIEW: what the model is and takes, and how much there is of it. */
#ifndef CPB_MODEL_COREML_ASK_OVERVIEW_H
#define CPB_MODEL_COREML_ASK_OVERVIEW_H

#include "model/coreml/state.h"

void cpb_coreml_ask_overview(cpb_coreml_model *m);

#endif

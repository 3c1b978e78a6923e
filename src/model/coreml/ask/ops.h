/* OPS: which operations there are, and how often. */
#ifndef CPB_MODEL_COREML_ASK_OPS_H
#define CPB_MODEL_COREML_ASK_OPS_H

#include "model/coreml/state.h"

void cpb_coreml_ask_ops(cpb_coreml_model *m);

#endif

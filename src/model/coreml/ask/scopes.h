/* SCOPES: nodes by the parts of their names. */
#ifndef CPB_MODEL_COREML_ASK_SCOPES_H
#define CPB_MODEL_COREML_ASK_SCOPES_H

#include "model/coreml/state.h"

void cpb_coreml_ask_scopes(cpb_coreml_model *m);

#endif

/* FUNCTIONS and FUNCTION: the functions of a program, and the graphs within nodes. */
#ifndef CPB_MODEL_COREML_ASK_FUNCTIONS_H
#define CPB_MODEL_COREML_ASK_FUNCTIONS_H

#include "model/coreml/state.h"

void cpb_coreml_ask_functions(cpb_coreml_model *m);
void cpb_coreml_ask_function(cpb_coreml_model *m);

#endif

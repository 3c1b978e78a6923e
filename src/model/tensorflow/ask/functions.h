/* FUNCTIONS, the library's, and FUNCTION, one of them. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_FUNCTIONS_H
#define CPB_MODEL_TENSORFLOW_ASK_FUNCTIONS_H

#include "model/tensorflow/state.h"

void cpb_ask_functions(cpb_saved_model *m);
void cpb_ask_function(cpb_saved_model *m);

#endif

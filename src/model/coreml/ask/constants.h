/* CONSTANTS: values that the model has; and how many parameters these are in all. */
#ifndef CPB_MODEL_COREML_ASK_CONSTANTS_H
#define CPB_MODEL_COREML_ASK_CONSTANTS_H

#include "model/coreml/state.h"

void cpb_coreml_ask_constants(cpb_coreml_model *m);

/* Members of an object: "parameters", {"total", "bytes", "size"} of all weights of the model, and "external_data", the
 * files with some of them. */
void cpb_coreml_write_parameters(cpb_coreml_model *m);

#endif

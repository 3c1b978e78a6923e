/* The values of a constant of a Core ML model, streamed. */
#ifndef CPB_MODEL_COREML_CONSTANT_VALUES_H
#define CPB_MODEL_COREML_CONSTANT_VALUES_H

#include "model/common/values_reader.h"

extern const cpb_values_reader cpb_coreml_values_reader;

#endif

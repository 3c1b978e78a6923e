/* Answers questions about Core ML models. */
#ifndef CPB_MODEL_COREML_ASK_MODEL_H
#define CPB_MODEL_COREML_ASK_MODEL_H

#include "model/common/model_reader.h"

extern const cpb_model_reader cpb_coreml_reader;

#endif

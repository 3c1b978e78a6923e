/* How a Core ML model begins. */
#ifndef CPB_MODEL_COREML_GUESS_H
#define CPB_MODEL_COREML_GUESS_H

#include "base/bytes.h"

int cpb_coreml_guess(cpb_span begin);

#endif

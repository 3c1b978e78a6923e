/* Whether a file begins as a SavedModel or a GraphDef does; of the first, after the second was asked. */
#ifndef CPB_MODEL_TENSORFLOW_GUESS_H
#define CPB_MODEL_TENSORFLOW_GUESS_H

#include <stdbool.h>
#include "base/bytes.h"

bool cpb_saved_model_guess(cpb_span begin);
bool cpb_graph_def_guess(cpb_span begin);

#endif

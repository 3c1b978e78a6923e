/* The rows of all kinds of models. */
#ifndef CPB_MODEL_KINDS_H
#define CPB_MODEL_KINDS_H

#include "model/common/kind.h"

/* NULL if it does not exist. */
const cpb_kind *cpb_kind_find(cpb_model_kind kind);

/* The reader for the values that the options describe: of the checkpoint if they have one, else of the model. */
const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options);

#endif

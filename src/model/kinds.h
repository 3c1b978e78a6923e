/* The rows of all kinds of models. */
#ifndef CPB_MODEL_KINDS_H
#define CPB_MODEL_KINDS_H

#include "model/common/kind.h"

/* NULL when there is none. */
const cpb_kind *cpb_kind_find(cpb_model_kind kind);

/* What reads the values that the options are for: of a checkpoint, where they have one, or of the model. */
const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options);

#endif

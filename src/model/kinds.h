/* The kinds of models, and what reads each; what they are known by is in guess.c. */
#ifndef CPB_MODEL_KINDS_H
#define CPB_MODEL_KINDS_H

#include "model/common/model_reader.h"
#include "model/common/values_reader.h"

typedef struct cpb_kind {
  cpb_model_kind kind;
  const cpb_model_reader *reader;
  const cpb_values_reader *values; /* NULL: it has no values */
} cpb_kind;

/* NULL when there is none. */
const cpb_kind *cpb_kind_find(cpb_model_kind kind);

/* What reads the values that the options are for: of a checkpoint, where they have one, or of the model. */
const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options);

#endif

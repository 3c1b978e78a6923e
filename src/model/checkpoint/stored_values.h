/* The values of a tensor of a checkpoint, streamed. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_VALUES_H
#define CPB_MODEL_CHECKPOINT_STORED_VALUES_H

#include "model/common/values_reader.h"

/* Used by cpb_values when its options name a checkpoint. */
extern const cpb_values_reader cpb_stored_values;

#endif

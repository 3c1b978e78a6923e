/* The values of a tensor of a checkpoint, streamed. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_VALUES_H
#define CPB_MODEL_CHECKPOINT_STORED_VALUES_H

#include "model/common/values_reader.h"

extern const cpb_values_reader cpb_stored_values; /* what a checkpoint has, when the options have one */

#endif

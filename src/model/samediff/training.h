/* The training configuration of a SameDiff graph: JSON, in a table of FlatBuffers. */
#ifndef CPB_MODEL_SAMEDIFF_TRAINING_H
#define CPB_MODEL_SAMEDIFF_TRAINING_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/base.h"

/* Whether it is JSON; otherwise the error is set. */
bool cpb_sd_check_training(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error);

#endif

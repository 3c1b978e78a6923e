/* The values of a checkpoint's tensor, streamed; the slices of a partitioned variable are joined. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_VALUES_H
#define CPB_MODEL_CHECKPOINT_STORED_VALUES_H

#include "model/common/values_reader.h"

/* Used by cpb_values when its options name a checkpoint. */
extern const cpb_values_reader cpb_stored_values;

/* The shard that such a reader's input must be. */
uint32_t cpb_stored_values_shard(const void *reader);

#endif

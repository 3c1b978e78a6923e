/* The values of a tensor of a checkpoint, streamed; those of a partitioned variable joined. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_VALUES_H
#define CPB_MODEL_CHECKPOINT_STORED_VALUES_H

#include "model/common/values_reader.h"

/* Used by cpb_values when its options name a checkpoint. */
extern const cpb_values_reader cpb_stored_values;

/* Of such a reader: the shard that its input is of. */
uint32_t cpb_stored_values_shard(const void *reader);

#endif

/* The entries of a checkpoint, as answers describe them. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_JSON_H
#define CPB_MODEL_CHECKPOINT_STORED_JSON_H

#include "base/json_writer.h"
#include "model/checkpoint/checkpoint.h"

/* Writes "key" and "stored" of a tensor, both null if `stored` is NULL. */
void cpb_stored_write(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *stored,
                      cpb_json_writer *answer);
/* Writes "shape"; every checkpoint has it. */
void cpb_stored_write_shape(const cpb_stored *stored, cpb_json_writer *answer);

/* The stored size of its values in bytes; of a partitioned variable, the total of its slices. */
uint64_t cpb_stored_size(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *stored,
                         cpb_json_writer *answer);

/* Whether it is a tensor in its own right: neither a slice nor the object graph. */
bool cpb_stored_is_tensor(const cpb_stored *stored);

/* Writes the totals "tensors", "size" and "shards". */
void cpb_checkpoint_write_counts(const cpb_checkpoint *checkpoint, cpb_json_writer *answer);

#endif

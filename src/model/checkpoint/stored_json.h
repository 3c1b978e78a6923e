/* What a checkpoint has stored, in answers. */
#ifndef CPB_MODEL_CHECKPOINT_STORED_JSON_H
#define CPB_MODEL_CHECKPOINT_STORED_JSON_H

#include "base/json_writer.h"
#include "model/checkpoint/checkpoint.h"

/* "key" and "stored": of a tensor, or null for NULL. */
void cpb_stored_write(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *stored,
                      cpb_json_writer *answer);
/* "shape", which a checkpoint always knows. */
void cpb_stored_write_shape(const cpb_stored *stored, cpb_json_writer *answer);

/* Bytes of its values as stored; of a partitioned one those of its slices. */
uint64_t cpb_stored_size(const cpb_allocator *a, const cpb_checkpoint *checkpoint, const cpb_stored *stored,
                         cpb_json_writer *answer);

/* Whether it is a tensor of its own: no slice of one, and not the object graph. */
bool cpb_stored_is_tensor(const cpb_stored *stored);

/* "tensors", "size" and "shards" of all. */
void cpb_checkpoint_write_counts(const cpb_checkpoint *checkpoint, cpb_json_writer *answer);

#endif

/* Access to a checkpoint's entries, for the readers in this folder. */
#ifndef CPB_MODEL_CHECKPOINT_CHECKPOINT_H
#define CPB_MODEL_CHECKPOINT_CHECKPOINT_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_writer.h"
#include "cpb/checkpoint.h"
#include "model/common/cursor.h"
#include "model/common/kind.h"

/* The serialized BundleEntryProto of an entry; it has been validated. It belongs to the checkpoint. */
cpb_span cpb_checkpoint_message(const cpb_stored *stored);

/* Finds the entries whose keys begin with `begin`: `*first` is the index of the first one. Returns their number. */
size_t cpb_checkpoint_begin(const cpb_checkpoint *checkpoint, cpb_span begin, size_t *first);
/* Searches `count` entries from `first` on, whose keys share their first `skip` bytes. Returns the entry whose key
 * continues with `rest`, or NULL. */
const cpb_stored *cpb_checkpoint_find_rest(const cpb_checkpoint *checkpoint, size_t first, size_t count, size_t skip,
                                           cpb_span rest);

/* The index of an entry: cpb_checkpoint_get() of it is `stored`. */
size_t cpb_checkpoint_place(const cpb_checkpoint *checkpoint, const cpb_stored *stored);

static inline cpb_span cpb_stored_key(const cpb_stored *stored) {
  return (cpb_span){(const uint8_t *)stored->key, stored->key_size};
}

/* --- part reader ------------------------------------------------------------------------------ */

/* The values stored in one place: of a tensor, or of one of its slices. */

typedef struct cpb_stored_part {
  const cpb_stored *stored; /* its entry; in version 1 the entry of the whole tensor */
  cpb_span key;             /* of the slice */
  const uint64_t *shape;    /* of the slice, with the tensor's rank */
} cpb_stored_part;

typedef struct cpb_part_reader {
  /* NULL if memory is short. All arguments must outlive the reader; `input` is the file that has the part. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, const cpb_values_options *options,
                  cpb_stored_part part, cpb_input *input, cpb_error *error);
  void (*destroy)(void *reader);
  cpb_have (*next)(void *reader, cpb_values_info *info, cpb_span *data); /* as in model/common/kind.h */
} cpb_part_reader;

extern const cpb_part_reader cpb_bundle_values; /* from a data file */
extern const cpb_part_reader cpb_table_values;  /* from the table of version 1 */

/* --- slices ----------------------------------------------------------------------------------- */

/* The slices of a partitioned variable, and the keys under which they are stored. */

/* Iterates over the slices of a tensor. All their keys have a common beginning, which is searched only once. */
typedef struct cpb_slices {
  const cpb_checkpoint *checkpoint;
  const cpb_stored *whole;
  cpb_cursor cursor;
  cpb_buffer key; /* of the slice */
  size_t skip, first, count;
  cpb_span message;         /* the slice's TensorSliceProto */
  const cpb_stored *stored; /* its entry, or NULL; always NULL in version 1 */
  bool failed;              /* memory was short */
} cpb_slices;

/* Like all that follow, it returns false if memory is short; close `slices` then as well. */
bool cpb_slices_open(cpb_slices *slices, const cpb_allocator *a, const cpb_checkpoint *checkpoint,
                     const cpb_stored *whole);
bool cpb_slices_next(cpb_slices *slices);
void cpb_slices_close(cpb_slices *slices);

/* The position of a slice in the tensor, and its shape, both with the tensor's rank. False if the slice exceeds the
 * tensor. */
bool cpb_slice_bounds(cpb_span slice, const cpb_stored *whole, uint64_t *begin, uint64_t *shape);

/* --- stored values ---------------------------------------------------------------------------- */

/* The values of a checkpoint's tensor, streamed; the slices of a partitioned variable are joined. */

/* Used by cpb_values when its options name a checkpoint. */
extern const cpb_values_reader cpb_stored_values;

/* The shard that such a reader's input must be. */
uint32_t cpb_stored_values_shard(const void *reader);

/* --- stored json ------------------------------------------------------------------------------ */

/* The entries of a checkpoint, as answers describe them. */

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

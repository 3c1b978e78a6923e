/* Access to a checkpoint's entries, for the readers in this folder. */
#ifndef CPB_MODEL_CHECKPOINT_CHECKPOINT_H
#define CPB_MODEL_CHECKPOINT_CHECKPOINT_H

#include "base/bytes.h"
#include "cpb/checkpoint.h"

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

#endif

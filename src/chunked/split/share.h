/* Finds the chunks of a plan that a base has: they are not written, and the index refers to them. Between planning and
 * writing, each chunk with a size that the base also has is read and hashed. */
#ifndef CPB_CHUNKED_SPLIT_SHARE_H
#define CPB_CHUNKED_SPLIT_SHARE_H

#include "base/column.h"
#include "chunked/split/base.h"
#include "chunked/split/chunk_bytes.h"

typedef struct cpb_split_sharing {
  cpb_allocator allocator;
  const cpb_split_base *base; /* NULL: no base, and everything else is 0 */
  cpb_column chunks;          /* by chunk of the plan: 1 + the base's chunk, or 0 */
  cpb_column uses;            /* by file of the base, from 0 on: 1 if a shared chunk is in it */
  size_t chunk;               /* the current chunk */
  bool open;                  /* it is being hashed */
  cpb_split_bytes bytes;
  cpb_sha256 hash;
  uint64_t done, total; /* bytes to hash */
  cpb_split_shared shared;
} cpb_split_sharing;

void cpb_split_share_init(cpb_split_sharing *s, const cpb_allocator *a);
void cpb_split_share_free(cpb_split_sharing *s);

void cpb_split_share_begin(cpb_split_sharing *s, const cpb_split_base *base, const cpb_plan *plan);

/* Marks the plan's chunks. CPB_WAIT; CPB_FAILED with the plan's error set. */
cpb_have cpb_split_share_step(cpb_split_sharing *s, cpb_plan *plan, cpb_input *input, size_t read_size);

/* Whether any chunk in a file of the base is used. */
static inline bool cpb_split_share_uses(const cpb_split_sharing *s, uint32_t file) {
  return cpb_column_get(&s->uses, file) != 0;
}

/* The base's chunk for a chunk of the plan, or NULL. */
const cpb_base_chunk *cpb_split_share_chunk(const cpb_split_sharing *s, size_t chunk);

#endif

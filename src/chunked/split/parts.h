/* Divides a file into parts that can be encoded independently.
 *
 * A part is a run of chunks that begins and ends at Riegeli chunks. Some parts must be encoded by the file's own
 * writer: a chunk that is too large to be kept encoded, and the last chunks if the index shares their Riegeli chunk. A
 * large chunk is a part of its own: if a fork finds it uncompressed, it leaves the chunk to the writer, which streams
 * it, as encoding it is only copying. */
#ifndef CPB_CHUNKED_SPLIT_PARTS_H
#define CPB_CHUNKED_SPLIT_PARTS_H

#include "base/alloc.h"
#include "cpb/records.h"
#include "riegeli/codec/stored.h"

typedef struct cpb_file_part {
  size_t first; /* first chunk; the part ends where the next one begins */
  bool alone;
} cpb_file_part;

typedef struct cpb_parts {
  cpb_allocator allocator;
  cpb_file_part *items;
  size_t count, capacity, next;
  size_t num_chunks, last_begin; /* where the last Riegeli chunk begins */
  uint64_t bytes;                /* of the last part */
  uint64_t filled;               /* of the current Riegeli chunk */
  uint64_t least;                /* smallest size of a part */
  uint64_t most;                 /* largest size of a chunk that can be encoded separately */
  bool large;                    /* the last chunk is left to the writer if it is not compressed */
} cpb_parts;

void cpb_parts_init(cpb_parts *p, const cpb_allocator *a);
void cpb_parts_free(cpb_parts *p);

/* Adds the next chunk, as `writer` would write it. If `joined`, no part begins here. False if memory is short. */
bool cpb_parts_add(cpb_parts *p, const cpb_record_writer *writer, uint64_t size, bool joined);

/* Skips the next chunk, which is not written. */
static inline void cpb_parts_pass(cpb_parts *p) { p->num_chunks++; }

/* Call it after the last one. */
bool cpb_parts_finish(cpb_parts *p, bool index_joins);

/* The chunk after the last of part `i`. */
size_t cpb_parts_end(const cpb_parts *p, size_t i);

/* Whether a fork leaves its part, which is one chunk of this size, to the writer. */
static inline bool cpb_parts_leave(uint64_t size, bool compressed) { return !compressed && size > CPB_STORED_MOST; }

/* Whether the next part begins with `chunk`; if so, goes on to the part after it. */
bool cpb_parts_arrive(cpb_parts *p, size_t chunk);

#endif

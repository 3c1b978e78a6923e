/* A file that is being made, divided into parts that can be encoded each by itself.
 *
 * A part is a run of chunks that begins and ends where Riegeli chunks do. What the writer that makes
 * the file must do alone are parts, too: a chunk that is too large to be held once encoded, and the
 * last chunks if the index shares their Riegeli chunk. A chunk that the writer outputs as it comes
 * unless it is compressed is a part of its own: a fork that finds it uncompressed leaves it to the
 * writer, as to encode it is only to copy it. */
#ifndef CPB_CHUNKED_SPLIT_PARTS_H
#define CPB_CHUNKED_SPLIT_PARTS_H

#include "base/alloc.h"
#include "cpb/records.h"
#include "riegeli/codec/stored.h"

typedef struct cpb_file_part {
  size_t first; /* chunk; it ends where the next one begins */
  bool alone;
} cpb_file_part;

typedef struct cpb_parts {
  cpb_allocator allocator;
  cpb_file_part *items;
  size_t count, capacity, next;
  size_t num_chunks, last_begin; /* where the last Riegeli chunk begins */
  uint64_t bytes;                /* of the last part */
  uint64_t filled;               /* of the last Riegeli chunk */
  uint64_t least;                /* bytes of a part */
  uint64_t most;                 /* bytes of a chunk that need not be encoded alone */
  bool large;                    /* the last chunk is one to be left to the writer if it is not compressed */
} cpb_parts;

void cpb_parts_init(cpb_parts *p, const cpb_allocator *a);
void cpb_parts_free(cpb_parts *p);

/* The next chunk, as `writer` would write it. Where `joined`, no part begins. False when memory is
 * short. */
bool cpb_parts_add(cpb_parts *p, const cpb_record_writer *writer, uint64_t size, bool joined);

/* The next chunk is not written. */
static inline void cpb_parts_pass(cpb_parts *p) { p->num_chunks++; }

/* After the last one. */
bool cpb_parts_finish(cpb_parts *p, bool index_joins);

/* The chunk after the last of part `i`. */
size_t cpb_parts_end(const cpb_parts *p, size_t i);

/* Whether a fork leaves its part, which is a chunk of this size, to the writer. */
static inline bool cpb_parts_leave(uint64_t size, bool compressed) { return !compressed && size > CPB_STORED_MOST; }

/* Whether the next part begins with `chunk`; the part after it is then the next one. */
bool cpb_parts_arrive(cpb_parts *p, size_t chunk);

#endif

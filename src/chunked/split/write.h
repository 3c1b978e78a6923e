/* The second pass: copies the planned chunks into a Riegeli file and ends it
 * with the index. */
#ifndef CPB_CHUNKED_SPLIT_WRITE_H
#define CPB_CHUNKED_SPLIT_WRITE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "chunked/index/tree_order.h"
#include "chunked/split/files.h"
#include "chunked/split/plan.h"
#include "cpb/records.h"
#include "cpb/split.h"
#include "riegeli/codec/codec.h"

/* --- evenly ----------------------------------------------------------------------------------- */

/* Returns a chunk's bytes in pieces whose sizes depend on the chunk alone, however the bytes arrive. The output of a
 * codec may depend on the sizes of its input pieces; otherwise the file would depend on how its host reads. Without a
 * codec, bytes are returned as they arrive, uncopied. */

typedef struct cpb_evenly {
  cpb_buffer held;
  size_t most;   /* bytes of a piece */
  uint64_t left; /* bytes of the chunk not added yet */
  cpb_span rest; /* added bytes that are still to be returned */
  bool even;     /* whether the pieces must have equal sizes */
  bool given;    /* the held piece was returned */
} cpb_evenly;

void cpb_evenly_init(cpb_evenly *p, const cpb_allocator *a, size_t buffer);
void cpb_evenly_free(cpb_evenly *p);

void cpb_evenly_begin(cpb_evenly *p, uint64_t chunk_size, bool even);

/* Whether added bytes remain to be returned. If not, more can be added. */
static inline bool cpb_evenly_wait(const cpb_evenly *p) { return p->rest.size > 0; }

/* Adds the next bytes, which must stay valid until the last piece with any of them was returned. */
static inline void cpb_evenly_add(cpb_evenly *p, cpb_span bytes) { p->rest = bytes; }

/* The next piece, valid until the next call; empty while it is incomplete. False if memory is short. */
bool cpb_evenly_next(cpb_evenly *p, cpb_span *piece);

/* --- parts ------------------------------------------------------------------------------------ */

/* Divides a file into parts that can be encoded independently.
 *
 * A part is a run of chunks that begins and ends at Riegeli chunks. Some parts must be encoded by the file's own
 * writer: a chunk that is too large to be kept encoded, and the last chunks if the index shares their Riegeli chunk. A
 * large chunk is a part of its own: if a fork finds it uncompressed, it leaves the chunk to the writer, which streams
 * it, as encoding it is only copying. */

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

/* --- write ------------------------------------------------------------------------------------ */

typedef enum cpb_split_write_state {
  CPB_SPLIT_WRITE_CODEC, /* of the next chunk */
  CPB_SPLIT_WRITE_GIVEN, /* Riegeli chunks that were encoded elsewhere */
  CPB_SPLIT_WRITE_TRANSPOSE,
  CPB_SPLIT_WRITE_BEGIN,
  CPB_SPLIT_WRITE_COPY,
  CPB_SPLIT_WRITE_END,
  CPB_SPLIT_WRITE_END_FILE,
  CPB_SPLIT_WRITE_NEXT_FILE,
  CPB_SPLIT_WRITE_INDEX_CODEC,
  CPB_SPLIT_WRITE_MAKE_INDEX,
  CPB_SPLIT_WRITE_BEGIN_INDEX,
  CPB_SPLIT_WRITE_INDEX,
  CPB_SPLIT_WRITE_PLACE_PAGE,
  CPB_SPLIT_WRITE_FINISH,
  CPB_SPLIT_WRITE_FLUSH, /* at the end of a part that is encoded separately */
  CPB_SPLIT_WRITE_DONE
} cpb_split_write_state;

typedef struct cpb_split_write {
  cpb_allocator allocator;
  cpb_error *error;
  cpb_plan *plan;
  const cpb_split_options *options;
  cpb_record_writer *writer;
  cpb_split_files files;
  const cpb_split_sharing *share;
  cpb_split_others others;
  cpb_split_sample sample;
  cpb_split_write_state state;
  size_t chunk;
  size_t first, end; /* when encoding separately: the part's first chunk, and the chunk after the part; the plan
                      * belongs to another engine and does not change */
  bool apart;
  cpb_parts parts;          /* that other engines may encode */
  cpb_span given;           /* the rest of the current encoded part */
  cpb_encoded_chunk placed; /* the last Riegeli chunk written of it */
  cpb_split_bytes bytes;    /* of the chunk */
  cpb_evenly pieces;
  bool drain;      /* the writer may have output */
  cpb_codec codec; /* the writer's present codec */
  cpb_transpose transpose;
  uint64_t copied;       /* bytes of the input */
  cpb_metadata metadata; /* the index, while it is written: */
  cpb_page_writer pages;
  cpb_buffer index; /* its next record, serialized, */
  bool last;        /* and whether that is the file's last one */
  size_t read_size;
} cpb_split_write;

/* The targets of all pointers must outlive it. Allocates nothing yet. */
void cpb_split_write_init(cpb_split_write *w, const cpb_allocator *a, cpb_plan *plan, const cpb_split_sharing *share,
                          const cpb_split_options *options, cpb_error *error);
void cpb_split_write_free(cpb_split_write *w);

/* Divides the chunks into parts of at least `least` bytes; steps then return CPB_STEP_PART. */
bool cpb_split_write_cut(cpb_split_write *w, uint64_t least);

/* With `apart`, an engine encodes the last part begun, and is then finished with it. */
void cpb_split_write_part(cpb_split_write *w, size_t first, size_t end);

/* CPB_STEP_NEED, CPB_STEP_OUTPUT (at the writer), CPB_STEP_PART, CPB_STEP_DONE, CPB_STEP_ERROR. */
cpb_step cpb_split_write_step(cpb_split_write *w, cpb_input *input);

#endif

/* What is inside a cpb_record_reader: its files work on this together. */
#ifndef CPB_RIEGELI_RECORDS_READER_STATE_H
#define CPB_RIEGELI_RECORDS_READER_STATE_H

#include "base/budget.h"
#include "cpb/records.h"
#include "riegeli/chunk_source.h"
#include "riegeli/records/recovery.h"
#include "riegeli/simple/decoder.h"
#include "riegeli/transpose/transpose.h"

typedef enum cpb_phase {
  CPB_PHASE_HEADER, /* of the chunk that the source is turned to */
  CPB_PHASE_LOAD,
  CPB_PHASE_RECORDS,
  CPB_PHASE_FINISH,
  CPB_PHASE_RECOVER,
  CPB_PHASE_SEEK_DIRECT, /* where the target's chunk probably begins */
  CPB_PHASE_SEEK_BLOCK,  /* the block header before the target */
  CPB_PHASE_SEEK_CHUNK,  /* from chunk header to chunk header up to it */
  CPB_PHASE_LAST_SIZE,   /* of the input, then its tail */
  CPB_PHASE_LAST_BLOCK,  /* the block header before last_limit */
  CPB_PHASE_LAST_CHUNK,  /* from chunk header to chunk header up to it */
  CPB_PHASE_FAILED
} cpb_phase;

/* How a chunk's data is read. */
typedef enum cpb_load {
  CPB_LOAD_UNDECIDED,
  CPB_LOAD_STREAM,   /* in one pass, checked (if at all) at its end */
  CPB_LOAD_IN_PLACE, /* where it was lent, whole */
  CPB_LOAD_COLLECT,  /* into the source's buffer */
  CPB_LOAD_TWICE     /* hashed, then asked for again */
} cpb_load;

struct cpb_record_reader {
  cpb_allocator outer; /* that the reader itself comes from */
  cpb_budget budget;
  cpb_allocator allocator; /* for the rest: `outer`, or what the budget allows of it */
  cpb_limits limits;
  cpb_record_reader_options options;
  cpb_chunk_source source;
  cpb_phase phase;
  cpb_load load;
  bool fleeting; /* what is lent may be gone after each step */
  bool verified; /* the first pass is over */
  bool open;     /* the second is under way */
  cpb_riegeli_chunk chunk;

  /* The records of the chunk. One of `simple` and `transposed` has them. */
  cpb_simple_decoder simple;
  cpb_transposed transposed;
  bool is_transposed;
  cpb_span ready;         /* decoded bytes at hand: those of `simple`, or all */
  const uint8_t *size_at; /* simple: the next record's size */
  uint64_t next;          /* index of the next record */
  uint64_t left;          /* bytes of the current record still to come */
  uint64_t want;          /* how many of them will be used, as far as is known */
  uint64_t skip;          /* decoded bytes to leave out first */
  uint64_t target;        /* index to begin at in the next chunk that is loaded */
  cpb_record record;
  cpb_span data;

  cpb_recovery recovery;
  cpb_phase after_recovery;
  uint64_t gap; /* where the input ended inside a skipped region, or NO_OFFSET */
  cpb_skipped skipped;
  char reason[sizeof((cpb_error *)0)->message];

  uint64_t seek_to;
  uint64_t last_limit;   /* chunks from here on hold no record */
  uint64_t last_from;    /* where the current walk to last_limit began */
  uint64_t last_chunk;   /* the last chunk with records that it met, or */
  uint64_t last_records; /* 0 when there was none */

  cpb_buffer metadata;
  bool has_metadata;
  cpb_error error;
};

/* The size of record r->next, which it moves on from. */
static inline uint64_t cpb_reader_next_size(cpb_record_reader *r) {
  size_t i = (size_t)r->next++;
  if (r->is_transposed) return r->transposed.ends[i] - (i == 0 ? 0 : r->transposed.ends[i - 1]);
  uint64_t size = 0;
  const cpb_span *all = &r->simple.size_varints;
  r->size_at = cpb_record_size_read(r->size_at, all->data + all->size, &size);
  return size;
}
/* Takes back the last `count` of the bytes that the last step gave. */
static inline void cpb_reader_give_back(cpb_record_reader *r, size_t count) {
  r->ready.data -= count;
  r->ready.size += count;
  r->left += count;
}

#endif

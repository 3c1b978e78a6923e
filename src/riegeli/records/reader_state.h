/* The state of a record reader, which the files of this folder share. */
#ifndef CPB_RIEGELI_RECORDS_READER_STATE_H
#define CPB_RIEGELI_RECORDS_READER_STATE_H

#include "base/meter.h"
#include "cpb/records.h"
#include "riegeli/chunk_source.h"
#include "riegeli/records/recovery.h"
#include "riegeli/simple/decoder.h"
#include "riegeli/transpose/transpose.h"

typedef enum cpb_phase {
  CPB_PHASE_HEADER,      /* reading the header of the chunk that the source is at */
  CPB_PHASE_LOAD,        /* its data, up to the first record */
  CPB_PHASE_RECORDS,     /* returning its records */
  CPB_PHASE_FINISH,      /* checking its end, and going to the next chunk */
  CPB_PHASE_RECOVER,     /* looking for a chunk after damage */
  CPB_PHASE_SEEK_DIRECT, /* trying the probable beginning of the target's chunk */
  CPB_PHASE_SEEK_BLOCK,  /* reading the block header before the target */
  CPB_PHASE_SEEK_CHUNK,  /* following chunk headers from there to the target */
  CPB_PHASE_SEEK_NUMBER, /* following chunk headers, and counting their records */
  CPB_PHASE_LAST_SIZE,   /* asking for the size of the input, and its tail */
  CPB_PHASE_LAST_BLOCK,  /* reading the block header before last_limit */
  CPB_PHASE_LAST_CHUNK,  /* following chunk headers from there to last_limit */
  CPB_PHASE_DOUBT_FILE,  /* after a failure: whether this is a Riegeli file at all */
  CPB_PHASE_DOUBT_DATA,  /* after a failure: whether the chunk's data matches its hash */
  CPB_PHASE_FAILED
} cpb_phase;

/* How a chunk's data is read. */
typedef enum cpb_load {
  CPB_LOAD_UNDECIDED,
  CPB_LOAD_STREAM,   /* in one pass; the hash, if at all, is checked at its end */
  CPB_LOAD_IN_PLACE, /* it is lent completely, and stays for both passes */
  CPB_LOAD_COLLECT,  /* the first pass copies it into the source's buffer */
  CPB_LOAD_TWICE     /* too large for that: the second pass requests it again */
} cpb_load;

/* Where a record of the loaded chunk begins. */
typedef struct cpb_record_place {
  uint64_t index, begin;  /* of the record, and in the decoded bytes */
  const uint8_t *size_at; /* simple: its size */
} cpb_record_place;

/* A chunk, and the number of its first record. */
typedef struct cpb_numbered_chunk {
  uint64_t begin, first;
} cpb_numbered_chunk;

/* The known numbers of records (numbers.c). */
typedef struct cpb_numbers {
  /* The function of CPB_PHASE_SEEK_NUMBER: a pointer, so that only programs that seek by number link it. */
  cpb_have (*walk)(cpb_record_reader *r);
  uint64_t sought;
  uint64_t first;            /* the number of the first record of the source's chunk */
  cpb_numbered_chunk last;   /* the last one found */
  uint64_t frontier;         /* all chunks before it have been counted */
  uint64_t num_chunks;       /* number of these chunks with records */
  cpb_numbered_chunk *noted; /* every stride-th of them */
  size_t num_noted, capacity, stride;
  bool has_count; /* all chunks have been counted; the count is valid: */
  uint64_t count;
} cpb_numbers;

struct cpb_record_reader {
  cpb_allocator outer;     /* of the reader itself */
  cpb_meter own, *meter;   /* its own meter, or that of the engine around it */
  cpb_budget budget;       /* options.memory */
  cpb_allocator allocator; /* of everything else: `outer`, or `budget` on top of it */
  cpb_record_reader_options options;
  size_t most_buffer, most_read; /* the requested values; options have those that the memory allows */
  cpb_chunk_source source;
  cpb_phase phase;
  cpb_load load;
  bool fleeting; /* lent bytes may be gone after each step */
  bool verified; /* the first pass is done */
  bool open;     /* the second has begun */
  cpb_riegeli_chunk chunk;
  bool projects;             /* options.fields was given */
  cpb_projection projection; /* its paths */

  /* The records of the chunk, which are in `simple` or in `transposed`; also in the latter if they are filtered. */
  cpb_simple_decoder simple;
  cpb_transpose_program program; /* its memory is kept from chunk to chunk */
  cpb_transposed transposed;
  bool is_transposed;
  cpb_span ready;           /* decoded bytes that were not returned yet */
  const uint8_t *size_at;   /* simple: the next record's size */
  cpb_record_place *places; /* of some of its records, once records were skipped (places.c) */
  size_t num_places, places_capacity;
  uint64_t next;   /* index of the next record */
  uint64_t left;   /* bytes of the current record not returned yet */
  uint64_t want;   /* the number of these that the caller will use; a hint */
  uint64_t skip;   /* decoded bytes to skip first */
  uint64_t target; /* index of the first record to return from the next chunk */
  cpb_record record;
  cpb_span data;

  cpb_phase doubted;                 /* the phase that failed */
  cpb_error doubted_error;           /* and how */
  bool has_doubted;                  /* of the file */
  uint8_t first[CPB_SIGNATURE_SIZE]; /* first bytes of the file */
  size_t num_first;                  /* number of these that have arrived */

  cpb_recovery recovery;
  cpb_phase after_recovery;
  uint64_t gap; /* where the input ended inside a skipped region, or CPB_NO_OFFSET */
  cpb_skipped skipped;
  char reason[sizeof((cpb_error *)0)->message];

  uint64_t seek_to;
  cpb_numbers *numbers;  /* NULL until a record is sought by number */
  uint64_t last_limit;   /* no chunk from here on has records */
  uint64_t last_from;    /* where the walk to last_limit began */
  uint64_t last_chunk;   /* the last chunk with records that was found */
  uint64_t last_records; /* the number of its records; 0: none found yet */

  cpb_buffer metadata;
  bool has_metadata;
  cpb_error error;
};

/* Returns the size of the record r->next, and goes to the one after it. */
static inline uint64_t cpb_reader_next_size(cpb_record_reader *r) {
  size_t i = (size_t)r->next++;
  if (r->is_transposed) return r->transposed.ends[i] - (i == 0 ? 0 : r->transposed.ends[i - 1]);
  uint64_t size = 0;
  const cpb_span *all = &r->simple.size_varints;
  r->size_at = cpb_record_size_read(r->size_at, all->data + all->size, &size);
  return size;
}
/* Takes back the last `count` bytes that the last step returned. */
static inline void cpb_reader_give_back(cpb_record_reader *r, size_t count) {
  r->ready.data -= count;
  r->ready.size += count;
  r->left += count;
}

#endif

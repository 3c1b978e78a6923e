/* The state machine of the record reader. */
#ifndef CPB_RIEGELI_RECORDS_READER_H
#define CPB_RIEGELI_RECORDS_READER_H

#include "base/meter.h"
#include "cpb/records.h"
#include "riegeli/chunk_source.h"
#include "riegeli/simple/decoder.h"
#include "riegeli/transpose/transpose.h"

/* --- recovery --------------------------------------------------------------------------------- */

/* Where to continue after damage: at the end of the damaged chunk, if its header is valid, else at the end of a chunk
 * according to the next valid block header. */

typedef struct cpb_recovery {
  cpb_resume how;
  uint64_t at;
  uint64_t begin, end; /* the region that is left out */
} cpb_recovery;

/* Clears the failure that is set in the source. The region that is left out begins at `begin`. */
void cpb_recovery_begin(cpb_recovery *r, cpb_chunk_source *s, uint64_t begin);

/* Makes the source go to the next chunk, or past the end of the input, and sets `end`. CPB_FAILED only if the host
 * fails. */
cpb_have cpb_recovery_find(cpb_recovery *r, cpb_chunk_source *s);

/* --- reader state ----------------------------------------------------------------------------- */

/* The state of a record reader, which the files of this folder share. */

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
  cpb_record_place *places; /* of some of its records, once records were skipped (load.c) */
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

/* --- places ----------------------------------------------------------------------------------- */

/* Where the records of a loaded chunk begin. */

/* The number of decoded bytes that were returned or skipped. */
uint64_t cpb_reader_consumed(const cpb_record_reader *r);

/* Where record `index` begins, which may be the number of records. */
cpb_record_place cpb_reader_find(cpb_record_reader *r, uint64_t index);

/* --- load ------------------------------------------------------------------------------------- */

/* How a record reader gets at the records of a chunk: it verifies and decodes. */

/* Reads and checks the chunk that the source is at up to its first record, or to its end if it
 * has none. */
cpb_have cpb_reader_load(cpb_record_reader *r);
void cpb_reader_unload(cpb_record_reader *r);

/* Gets decoded bytes into r->ready, at least one; `max` as for cpb_simple_decoder_fill(). */
cpb_have cpb_reader_fill(cpb_record_reader *r, uint64_t max);
/* Skips r->skip decoded bytes. */
cpb_have cpb_reader_skip(cpb_record_reader *r);
/* Goes to record `index` of the loaded chunk. False when it comes before the current one and its
 * bytes are gone. */
bool cpb_reader_move(cpb_record_reader *r, uint64_t index);
/* Whether the records of the loaded chunk are all in memory: to go back among them costs nothing. */
bool cpb_reader_holds_records(const cpb_record_reader *r);

/* --- doubt ------------------------------------------------------------------------------------ */

/* After a failure, before it is reported: was the reader right to interpret those bytes at all?
 *
 * Seeking begins with the last block header, and in a file of another format that place has arbitrary bytes. So, unless
 * some header has matched its hash, the reader checks the beginning of the file.
 *
 * Data that is decoded while it is hashed may fail before its hash does. So the rest of it is hashed as well: the
 * verdict is then the same as if the hash had come first, because the host had lent the entire chunk. */

/* Whether the source's error is doubted: then sets one of the two phases. */
bool cpb_reader_doubts(cpb_record_reader *r);

/* CPB_FAILED, in the phase that had failed, with its error or the one that explains it. Or CPB_WAIT. */
cpb_have cpb_reader_doubt_file(cpb_record_reader *r);
cpb_have cpb_reader_doubt_data(cpb_record_reader *r);

/* --- reader ----------------------------------------------------------------------------------- */

/* A reader within another engine, whose meter it charges. NULL: one of its own. Its memory is a
 * decoder's, and not counted as held. */
cpb_record_reader *cpb_record_reader_new_within(const cpb_allocator *a, const cpb_record_reader_options *options,
                                                cpb_meter *meter);

/* The next step when the loaded chunk has nothing to give at once. */
cpb_step cpb_reader_step_on(cpb_record_reader *r);

/* Like a step to the sought record, but only as far as the header of its chunk and the codec: nothing is decoded.
 * CPB_STEP_RECORD then means that the chunk is known. */
cpb_step cpb_reader_step_to_head(cpb_record_reader *r);

/* Between records: goes to the next one, as far as the bytes are lent. False if this needs a step, or has another
 * result than a record. */
bool cpb_reader_come_to_record(cpb_record_reader *r);

/* --- seek ------------------------------------------------------------------------------------- */

/* Seeking: to a record position, and to the last record. */

/* cpb_record_reader_seek() for a caller that knows where the chunk of `position` probably begins, and up to where it
 * will read (`end`; 0: unknown). If the chunk begins there, nothing else is requested. */
void cpb_reader_seek_chunk(cpb_record_reader *r, uint64_t position, uint64_t begin, uint64_t end);

/* Gives up the loaded chunk, to go elsewhere. */
void cpb_reader_leave(cpb_record_reader *r);

/* Does the work of the SEEK and LAST phases. CPB_AT_END: the target is past the end. */
cpb_have cpb_reader_seek(cpb_record_reader *r);

#endif

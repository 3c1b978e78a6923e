/* The bytes of the chunks, by chunk and offset, in memory or in a Riegeli file: what merge, repack
 * and the chunk reader read from. (chunk_reader.c says when to use which reader.)
 *
 * A merge reads a file forward at several places at once, a message and the chunks that go into it.
 * So a few streams stay open, and the least recently used one is given to the next chunk. A stream
 * keeps a small Riegeli chunk decoded: chunks that share one cause one decoding. Planning reads small
 * chunks that the merge will read again, so those can be kept whole. Small chunks are verified before
 * their bytes are given out; large ones, with CPB_VERIFY_LATE, when their stream is given away (see
 * cpb_chunk_store_settle). */
#ifndef CPB_CHUNKED_READ_CHUNK_STORE_H
#define CPB_CHUNKED_READ_CHUNK_STORE_H

#include "base/meter.h"
#include "chunked/index/index_state.h"
#include "chunked/read/kept.h"
#include "chunked/read/store_files.h"

enum {
  CPB_SMALL_STREAMS = 4,
  CPB_LARGE_STREAMS = 3,
  CPB_PEEK_STREAM = CPB_SMALL_STREAMS + CPB_LARGE_STREAMS, /* for sizes and first bytes */
  CPB_STREAMS
};

/* A chunk that is being read forward. */
typedef struct cpb_store_stream {
  cpb_record_reader *reader;
  cpb_buffer window; /* the input that was lent to the reader */
  uint64_t chunk;    /* CPB_NO_CHUNK: none */
  uint32_t file;     /* that the reader is in */
  bool settling;     /* it is being verified, and of no other use */
  bool in_record;    /* its record has begun; then these count: */
  uint64_t pos;      /* the next byte that the reader gives */
  cpb_span span;     /* what it gave last: the bytes before pos */
  uint64_t used;     /* clock of the last use */
  cpb_verify verify;
} cpb_store_stream;

typedef struct cpb_store_options {
  cpb_verify verify;
  bool trust_sizes;   /* the index's sizes count; a record of another is damage */
  bool trust_fitting; /* so do those that fit the chunk's place exactly */
  size_t memory;      /* for decoded Riegeli chunks */
  size_t read_size;
  cpb_meter *meter; /* of the engine */
} cpb_store_options;

typedef struct cpb_chunk_store {
  cpb_allocator allocator;
  cpb_error *error;
  cpb_input *input; /* of the engine */
  const cpb_index *index;
  cpb_store_files files;
  const cpb_chunk_bytes *memory; /* the chunks, or NULL: they are in the file */
  uint64_t num_chunks;
  cpb_store_options options;
  size_t small; /* decoded bytes of a Riegeli chunk that a stream keeps */
  bool keeping; /* small chunks that are read from now on are kept, */
  size_t room;  /* as long as there is room: bytes left for them */
  cpb_kept_chunks kept;
  bool shared; /* and they are another store's */
  uint64_t clock;
  uint64_t at, want;  /* the range of the chunk that the call is for */
  uint64_t *sizes;    /* of each chunk, or CPB_NO_OFFSET while not known */
  uint64_t data_hash; /* in the header of the Riegeli chunk that cpb_chunk_store_stored() told of last */
  cpb_store_stream streams[CPB_STREAMS];
} cpb_chunk_store;

void cpb_chunk_store_init(cpb_chunk_store *s, const cpb_allocator *a, const cpb_index *index,
                          const cpb_store_options *options, cpb_input *input, cpb_error *error);
void cpb_chunk_store_use_memory(cpb_chunk_store *s, const cpb_chunk_bytes *chunks, uint64_t num_chunks);
/* Takes its chunks from where `from` does, which must outlive it and has kept what it will. */
void cpb_chunk_store_share(cpb_chunk_store *s, const cpb_chunk_store *from);
/* After a chunk could not be read: what there is of it is not kept. */
void cpb_chunk_store_forget(cpb_chunk_store *s, uint64_t chunk);
void cpb_chunk_store_free(cpb_chunk_store *s);

/* The cpb_chunk_type of a chunk. */
uint32_t cpb_chunk_store_type(const cpb_chunk_store *s, uint64_t chunk);

/* Where errors in a chunk are: the file position of its record. CPB_NO_OFFSET if that is in another file. */
uint64_t cpb_chunk_store_position(const cpb_chunk_store *s, uint64_t chunk);

/* These return CPB_WAIT with the need of the engine's input set, CPB_FAILED
 * with the error set. */

/* The size of the chunk's record. */
cpb_have cpb_chunk_store_size(cpb_chunk_store *s, uint64_t chunk, uint64_t *size);

/* Bytes of `chunk` from `offset` on, at least one; CPB_AT_END at its end. They
 * are valid until the next call. `want` is how many will be used: where nothing
 * is decoded or verified, no more are asked for. */
cpb_have cpb_chunk_store_span(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want, cpb_span *span);

/* The chunk's first bytes, not verified, at little cost. */
cpb_have cpb_chunk_store_peek(cpb_chunk_store *s, uint64_t chunk, cpb_span *span);

/* Where the chunk is stored; only for chunks in a file. `want` bytes from
 * `offset` on will be read next. */
cpb_have cpb_chunk_store_stored(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want,
                                cpb_chunk_stored *stored);

/* Where the chunk's Riegeli chunk probably is, for reading ahead in `file`. False when
 * that is not known, or the chunk is in memory or in another file. */
bool cpb_chunk_store_place(const cpb_chunk_store *s, uint64_t chunk, uint32_t file, uint64_t *begin, uint64_t *end);

/* What has to be decoded for a chunk's bytes. */
typedef struct cpb_chunk_home {
  uint64_t begin; /* of its Riegeli chunk, probably; CPB_NO_OFFSET: nothing, it is in memory */
  uint32_t file;
  bool large; /* too large to be held decoded */
} cpb_chunk_home;

cpb_chunk_home cpb_chunk_store_home(const cpb_chunk_store *s, uint64_t chunk);

/* Verifies what was given out before it was verified. */
cpb_have cpb_chunk_store_settle(cpb_chunk_store *s);

#endif

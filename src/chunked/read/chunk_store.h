/* The bytes of the chunks, by chunk and offset, in memory or in a Riegeli file. Merge, repack and the chunk reader read
 * from it. (chunk_reader.c says when to use which reader.)
 *
 * A merge reads a file forward at several places at once: a message, and the chunks that go into it. So a few streams
 * stay open, and the next chunk gets the least recently used one. A stream keeps a small Riegeli chunk decoded, so
 * chunks that share one are decoded once. Planning reads small chunks that the merge will read again, so these can be
 * kept whole. Small chunks are verified before their bytes are returned; large ones, with CPB_VERIFY_LATE, when their
 * stream is replaced (see cpb_chunk_store_settle). */
#ifndef CPB_CHUNKED_READ_CHUNK_STORE_H
#define CPB_CHUNKED_READ_CHUNK_STORE_H

#include "base/alloc.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "chunked/index/index_state.h"

/* --- kept ------------------------------------------------------------------------------------- */

/* The chunks that a store keeps in memory, in the order in which they were read, and a tree by chunk. */

/* One, as far as it was read. */
typedef struct cpb_kept_chunk {
  cpb_ordered_links links;
  bool complete;
  bool forgotten;
  uint64_t chunk;
  cpb_buffer bytes;
} cpb_kept_chunk;

typedef struct cpb_kept_chunks {
  cpb_kept_chunk *items;
  size_t count, capacity;
  uint32_t root;
} cpb_kept_chunks;

void cpb_kept_free(cpb_kept_chunks *kept, const cpb_allocator *a);
/* NULL: it was never added. It may be forgotten. */
cpb_kept_chunk *cpb_kept_find(const cpb_kept_chunks *kept, uint64_t chunk);
/* Adds one that was never added. NULL if memory is short. */
cpb_kept_chunk *cpb_kept_add(cpb_kept_chunks *kept, const cpb_allocator *a, uint64_t chunk);

/* --- store files ------------------------------------------------------------------------------ */

/* The other files with chunks of a store; they must match the index. */

typedef struct cpb_store_files {
  cpb_allocator allocator;
  const cpb_index *index;
  cpb_input *input; /* of the engine */
  cpb_meter *meter;
  cpb_error *error;
  bool *sized; /* by file: its size matches the index */
} cpb_store_files;

void cpb_store_files_free(cpb_store_files *f);

/* Sets the store's error, naming the file if it is another one: offsets are then of that. `error` may be the
 * store's own. CPB_FAILED. */
cpb_have cpb_store_fail_in(cpb_store_files *f, uint32_t file, const cpb_error *error);

/* Makes the engine's input ask for the file. */
void cpb_store_turn_input(cpb_store_files *f, uint32_t file);

/* The size of the file must match the index before anything of it is read. */
cpb_have cpb_store_check_file(cpb_store_files *f, uint32_t file);

/* Call it when the reader has read the header of the chunk's Riegeli chunk: its hash must match the index. */
cpb_have cpb_store_check_hash(cpb_store_files *f, uint32_t file, uint64_t chunk, const cpb_record_reader *reader);

/* The size of the file, if known. */
uint64_t cpb_store_known_size(const cpb_store_files *f, uint32_t file);

/* --- chunk store ------------------------------------------------------------------------------ */

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
  uint32_t file;     /* the file that the reader is in */
  bool settling;     /* it is being verified, and cannot be used otherwise */
  bool in_record;    /* its record has begun; then the next two are valid */
  uint64_t pos;      /* the next byte of the reader */
  cpb_span span;     /* its last bytes, which end at pos */
  uint64_t used;     /* clock of the last use */
  cpb_verify verify;
} cpb_store_stream;

typedef struct cpb_store_options {
  cpb_verify verify;
  bool trust_sizes;   /* the index's sizes are trusted; a record of another size is damage */
  bool trust_fitting; /* the same for sizes that fit the chunk's place exactly */
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
  bool keeping; /* small chunks that are read from now on are kept */
  size_t room;  /* while there is room: bytes left for them */
  cpb_kept_chunks kept;
  bool shared; /* they belong to another store */
  uint64_t clock;
  uint64_t at, want;  /* the range of the chunk for this call */
  uint64_t *sizes;    /* of each chunk, or CPB_NO_OFFSET while unknown */
  uint64_t data_hash; /* in the header of the last Riegeli chunk that cpb_chunk_store_stored() described */
  cpb_store_stream streams[CPB_STREAMS];
} cpb_chunk_store;

void cpb_chunk_store_init(cpb_chunk_store *s, const cpb_allocator *a, const cpb_index *index,
                          const cpb_store_options *options, cpb_input *input, cpb_error *error);
void cpb_chunk_store_use_memory(cpb_chunk_store *s, const cpb_chunk_bytes *chunks, uint64_t num_chunks);
/* Shares the chunks of `from`, which must outlive it and keeps no further ones. */
void cpb_chunk_store_share(cpb_chunk_store *s, const cpb_chunk_store *from);
/* Call it after a chunk could not be read: drops the part of it that was kept. */
void cpb_chunk_store_forget(cpb_chunk_store *s, uint64_t chunk);
void cpb_chunk_store_free(cpb_chunk_store *s);

/* The cpb_chunk_type of a chunk. */
uint32_t cpb_chunk_store_type(const cpb_chunk_store *s, uint64_t chunk);

/* The position for errors in a chunk: that of its record in the file. CPB_NO_OFFSET if that is in another file. */
uint64_t cpb_chunk_store_position(const cpb_chunk_store *s, uint64_t chunk);

/* These return CPB_WAIT with the need of the engine's input set, CPB_FAILED
 * with the error set. */

/* The size of the chunk's record. */
cpb_have cpb_chunk_store_size(cpb_chunk_store *s, uint64_t chunk, uint64_t *size);

/* Bytes of `chunk` from `offset` on, at least one; CPB_AT_END at its end. They are valid until the next call. `want` is
 * the number of bytes that will be used: if nothing is decoded or verified, no more are requested. */
cpb_have cpb_chunk_store_span(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want, cpb_span *span);

/* The chunk's first bytes, unverified, at little cost. */
cpb_have cpb_chunk_store_peek(cpb_chunk_store *s, uint64_t chunk, cpb_span *span);

/* Where the chunk is stored; only for chunks in a file. The caller will read `want` bytes from `offset` on next. */
cpb_have cpb_chunk_store_stored(cpb_chunk_store *s, uint64_t chunk, uint64_t offset, uint64_t want,
                                cpb_chunk_stored *stored);

/* Where the chunk's Riegeli chunk probably is, for reading ahead in `file`. False if that is unknown, or the chunk is
 * in memory or in another file. */
bool cpb_chunk_store_place(const cpb_chunk_store *s, uint64_t chunk, uint32_t file, uint64_t *begin, uint64_t *end);

/* The data that must be decoded for a chunk's bytes. */
typedef struct cpb_chunk_home {
  uint64_t begin; /* of its Riegeli chunk, probably; CPB_NO_OFFSET: none, it is in memory */
  uint32_t file;
  bool large; /* too large to be held decoded */
} cpb_chunk_home;

cpb_chunk_home cpb_chunk_store_home(const cpb_chunk_store *s, uint64_t chunk);

/* Verifies bytes that were returned unverified. */
cpb_have cpb_chunk_store_settle(cpb_chunk_store *s);

#endif

/* The bytes of one Riegeli chunk at a time: its header, then its data with the
 * block headers checked and taken out. Asks for whole chunks (up to read_size
 * at a time) and walks over the blocks inside what the host lends. */
#ifndef CPB_RIEGELI_CHUNK_SOURCE_H
#define CPB_RIEGELI_CHUNK_SOURCE_H

#include "base/alloc.h"
#include "base/input.h"
#include "riegeli/block.h"
#include "riegeli/highwayhash.h"

/* How reading can go on after a failure. */
typedef enum cpb_resume {
  CPB_RESUME_NEVER,
  CPB_RESUME_AT_CHUNK, /* a chunk is believed to begin at resume_at */
  CPB_RESUME_FIND      /* by the next block header from resume_at on */
} cpb_resume;

typedef struct cpb_chunk_source {
  cpb_input input;
  size_t read_size;
  bool sequential; /* all that follows will probably be read */
  bool sparse;     /* not even all of this chunk, otherwise */

  uint64_t begin;   /* of the chunk */
  bool have_header; /* then these are known: */
  cpb_chunk_header header;
  uint64_t data_end; /* file offset after the data; UINT64_MAX if past 2^64 */
  uint64_t end;      /* and after the padding */

  uint64_t pos;       /* file offset of the next byte */
  uint64_t data_at;   /* data bytes before it */
  uint64_t sure_end;  /* what is read until there is asked for at once */
  uint64_t ahead_end; /* what is read until there is worth having with it */
  bool checked;       /* the block headers in this chunk were seen before */
  bool hashing;
  cpb_hash hash;
  bool collected; /* the data is in `data`, not to be asked for */
  cpb_buffer data;

  cpb_block_header block; /* read last */
  uint8_t header_bytes[CPB_CHUNK_HEADER_SIZE], block_bytes[CPB_BLOCK_HEADER_SIZE];
  size_t header_size, block_size; /* how much of them is there */

  cpb_error error; /* after CPB_FAILED */
  cpb_resume resume;
  uint64_t resume_at;
} cpb_chunk_source;

void cpb_chunk_source_init(cpb_chunk_source *s, const cpb_allocator *a, size_t read_size);
void cpb_chunk_source_free(cpb_chunk_source *s);

/* The functions that return cpb_have may be called again after CPB_WAIT, and go
 * on. CPB_AT_END is only the clean end of the file, or what lies after it; an
 * end within something is a failure. */

/* Turns to the chunk that begins at `begin`. */
void cpb_chunk_source_go(cpb_chunk_source *s, uint64_t begin);
/* A hint: what lies before `offset` will be wanted, until the header is known. */
void cpb_chunk_source_expect(cpb_chunk_source *s, uint64_t offset);
cpb_have cpb_chunk_source_header(cpb_chunk_source *s);
/* A hint: the next `size` data bytes will be wanted. */
void cpb_chunk_source_expect_data(cpb_chunk_source *s, uint64_t size);

/* The next data bytes that lie together: at least one and at most `max`, or
 * none at the end of the data. They count as read when taken. */
cpb_have cpb_chunk_source_data(cpb_chunk_source *s, uint64_t max, cpb_span *span);
void cpb_chunk_source_take(cpb_chunk_source *s, const uint8_t *data, size_t size);
/* Leaves `size` data bytes out without asking for them. */
void cpb_chunk_source_jump(cpb_chunk_source *s, uint64_t size);
/* Back to the first data byte, which is then asked for again. */
void cpb_chunk_source_rewind(cpb_chunk_source *s);
/* At the first data byte: hashes what is taken from here on. */
void cpb_chunk_source_hash(cpb_chunk_source *s);
static inline uint64_t cpb_chunk_source_left(const cpb_chunk_source *s) { return s->header.data_size - s->data_at; }

/* The whole chunk is in the lent window, so that reading it will not wait. */
bool cpb_chunk_source_lent(const cpb_chunk_source *s);
/* Whether the input has at least `size` bytes (else CPB_AT_END). */
cpb_have cpb_chunk_source_reaches(cpb_chunk_source *s, uint64_t size);
/* The input goes on to the end of the chunk, of which the header was read. */
cpb_have cpb_chunk_source_whole(cpb_chunk_source *s);
/* After all data: the padding is there and, when it was hashed, the data is what
 * the header's hash promises. */
cpb_have cpb_chunk_source_finish(cpb_chunk_source *s);

/* Reads the block header at the block boundary `block` into s->block. Its
 * damage is a failure; CPB_AT_END: there is no whole one. Turn to a chunk
 * before anything else. */
cpb_have cpb_chunk_source_block(cpb_chunk_source *s, uint64_t block);

/* CPB_FAILED with this error, for what is found in the chunk's data: reading
 * can go on at the next chunk. */
cpb_have cpb_chunk_source_bad_data(cpb_chunk_source *s, cpb_code code, const char *what);

#endif

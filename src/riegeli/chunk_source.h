/* Reads one Riegeli chunk at a time: its header, then its data, with block headers checked and removed.
 *
 * It requests all the bytes that it is going to read (up to read_size at a time), however the blocks divide them, and
 * goes from block to block in the lent bytes. It also makes the hints of cpb_need.ahead: `sequential` and `sparse`
 * describe how the reader moves through the file. */
#ifndef CPB_RIEGELI_CHUNK_SOURCE_H
#define CPB_RIEGELI_CHUNK_SOURCE_H

#include "base/alloc.h"
#include "base/input.h"
#include "riegeli/block.h"
#include "riegeli/highwayhash.h"

/* How recovery can continue after a failure. */
typedef enum cpb_resume {
  CPB_RESUME_NEVER,
  CPB_RESUME_AT_CHUNK, /* a chunk should begin at resume_at */
  CPB_RESUME_FIND      /* the next block header from resume_at on leads to one */
} cpb_resume;

typedef struct cpb_chunk_source {
  cpb_input input;
  size_t read_size;
  bool sequential; /* the bytes after this chunk will probably be read */
  bool sparse;     /* possibly not even this whole chunk will be read */

  uint64_t begin;   /* of the chunk */
  bool have_header; /* of the next four: */
  cpb_chunk_header header;
  uint64_t data_end; /* file offset after the data; UINT64_MAX if past 2^64 */
  uint64_t end;      /* file offset after the padding */

  uint64_t pos;       /* file offset of the next byte */
  uint64_t data_at;   /* data bytes before that */
  uint64_t sure_end;  /* all bytes before it will be read: need.length */
  uint64_t ahead_end; /* bytes before it may be read: need.ahead */
  bool checked;       /* the block headers in this chunk were checked before */
  bool hashing;
  cpb_hash hash;
  bool collected; /* all data is in `data`, and not requested again */
  cpb_buffer data;

  bool recognised;        /* some header matched its hash: this is a Riegeli file */
  cpb_block_header block; /* the one read last */
  uint8_t header_bytes[CPB_CHUNK_HEADER_SIZE], block_bytes[CPB_BLOCK_HEADER_SIZE];
  size_t header_size, block_size; /* number of their bytes that have arrived */

  cpb_error error; /* after CPB_FAILED */
  bool bad_data;   /* the error is in the chunk's data, and not in its position */
  cpb_resume resume;
  uint64_t resume_at;
} cpb_chunk_source;

void cpb_chunk_source_init(cpb_chunk_source *s, const cpb_allocator *a, size_t read_size);
void cpb_chunk_source_free(cpb_chunk_source *s);

/* After CPB_WAIT, call a function again to continue. CPB_AT_END means that the file ends here as expected, or before;
 * an end within a chunk is CPB_FAILED. */

/* Turns to the chunk that begins at `begin`. */
void cpb_chunk_source_go(cpb_chunk_source *s, uint64_t begin);
/* A hint: all before `offset` will be read. It holds until the chunk header is there. */
void cpb_chunk_source_expect(cpb_chunk_source *s, uint64_t offset);
cpb_have cpb_chunk_source_header(cpb_chunk_source *s);
/* A hint: the next `size` data bytes will be read. */
void cpb_chunk_source_expect_data(cpb_chunk_source *s, uint64_t size);

/* The next contiguous data bytes: at least one and at most `max`; none at the end of the data. Taking `size` of them
 * moves on. */
cpb_have cpb_chunk_source_data(cpb_chunk_source *s, uint64_t max, cpb_span *span);
void cpb_chunk_source_take(cpb_chunk_source *s, const uint8_t *data, size_t size);
/* Skips `size` data bytes without requesting them. */
void cpb_chunk_source_jump(cpb_chunk_source *s, uint64_t size);
/* Goes back to the first data byte; the data is requested again, unless it is collected. */
void cpb_chunk_source_rewind(cpb_chunk_source *s);
/* Call it at the first data byte: all data taken from here on is hashed. */
void cpb_chunk_source_hash(cpb_chunk_source *s);
static inline uint64_t cpb_chunk_source_left(const cpb_chunk_source *s) { return s->header.data_size - s->data_at; }

/* Whether the host has lent the entire chunk, so that reading it will not wait. */
bool cpb_chunk_source_lent(const cpb_chunk_source *s);
/* Whether the input has at least `size` bytes (else CPB_AT_END). */
cpb_have cpb_chunk_source_reaches(cpb_chunk_source *s, uint64_t size);
/* Call it after the header: the input must extend to the end of the chunk. */
cpb_have cpb_chunk_source_whole(cpb_chunk_source *s);
/* Takes all remaining data. */
cpb_have cpb_chunk_source_drain(cpb_chunk_source *s);
/* Call it after all data: the padding must be there and the data, if it was hashed, must match the header's hash. */
cpb_have cpb_chunk_source_finish(cpb_chunk_source *s);

/* Reads the block header at `block` into s->block. CPB_AT_END: the file ends before its
 * end. Afterwards cpb_chunk_source_go() must be called first. */
cpb_have cpb_chunk_source_block(cpb_chunk_source *s, uint64_t block);

/* CPB_FAILED with this error and `bad_data` set, for a chunk whose data is invalid: recovery continues at the next
 * chunk. */
cpb_have cpb_chunk_source_bad_data(cpb_chunk_source *s, cpb_code code, const char *what);

#endif

/* Framing: lays Riegeli chunks into the file, with a block header at every
 * 64 KiB. What it is given is lent, and handed on in pieces without a copy.
 *
 * A chunk that is complete is written in one go. One whose hash or size is not
 * known yet is opened, given data, and closed: its header is written as zeros
 * first, as are the block headers when the size is unknown; closing goes over
 * them again. */
#ifndef CPB_RIEGELI_CHUNK_WRITER_H
#define CPB_RIEGELI_CHUNK_WRITER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "riegeli/block.h"

#define CPB_CHUNK_MAX_PADDING ((uint64_t)1 << 30)

typedef enum cpb_section_kind {
  CPB_SECTION_BYTES,
  CPB_SECTION_ZEROS,
  CPB_SECTION_WALK, /* only the block headers on the way are written */
  CPB_SECTION_JUMP  /* goes to the offset `size` */
} cpb_section_kind;

typedef struct cpb_section {
  cpb_section_kind kind;
  const uint8_t *data;
  uint64_t size; /* without block headers */
} cpb_section;

typedef struct cpb_chunk_writer {
  uint64_t pos;            /* where the next byte goes */
  uint64_t begin, end;     /* of the current chunk; end is UINT64_MAX while unknown */
  cpb_section sections[8]; /* enough to open, fill and close at once */
  unsigned section, num_sections;
  uint8_t chunk_header[CPB_CHUNK_HEADER_SIZE];
  uint8_t block_header[CPB_BLOCK_HEADER_SIZE];
} cpb_chunk_writer;

/* To write at `offset` of the file. */
typedef struct cpb_output_bytes {
  uint64_t offset;
  const uint8_t *data;
  size_t size;
} cpb_output_bytes;

void cpb_chunk_writer_init(cpb_chunk_writer *w, uint64_t pos);

/* The next bytes to write, valid until the next call; false when all are. */
bool cpb_chunk_writer_next(cpb_chunk_writer *w, cpb_output_bytes *out);
static inline bool cpb_chunk_writer_idle(const cpb_chunk_writer *w) { return w->section == w->num_sections; }

/* Each of these is called when idle, save that `data` and `close` may also
 * follow `open` and `data` at once. False: past the end of 64-bit offsets. */

/* A complete chunk with the data `head` followed by `body`. */
bool cpb_chunk_writer_chunk(cpb_chunk_writer *w, const cpb_chunk_header *header, cpb_span head, cpb_span body);

/* A chunk of one record (or any number that its data is not shorter than) whose
 * hash, and unless `data_size` is UINT64_MAX only that, is unknown. */
bool cpb_chunk_writer_open(cpb_chunk_writer *w, uint64_t data_size);
void cpb_chunk_writer_data(cpb_chunk_writer *w, cpb_span data);
bool cpb_chunk_writer_close(cpb_chunk_writer *w, const cpb_chunk_header *header);

/* A padding chunk up to a multiple of `padding` (0 and 1: none). */
bool cpb_chunk_writer_pad(cpb_chunk_writer *w, uint64_t padding);

/* Zeros up to where a chunk can begin: for a file that ends in a block header. */
void cpb_chunk_writer_align(cpb_chunk_writer *w);

#endif

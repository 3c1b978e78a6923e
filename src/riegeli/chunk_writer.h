/* Writes Riegeli chunks to a file, with a block header at every multiple of 64 KiB. The
 * data is not copied: what it is given must stay until it was output.
 *
 * A complete chunk is written at once. One whose hash or size is not known yet is opened,
 * given data, and closed: its chunk header is output as zeros first, and so are block
 * headers while the size is unknown, as they name the end of the chunk. Closing outputs
 * them again.
 *
 * A bare writer leaves out what depends on where a chunk is in its file, which is block headers and
 * padding, and has complete chunks only. */
#ifndef CPB_RIEGELI_CHUNK_WRITER_H
#define CPB_RIEGELI_CHUNK_WRITER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "riegeli/block.h"

#define CPB_CHUNK_MAX_PADDING ((uint64_t)1 << 30)

typedef enum cpb_section_kind {
  CPB_SECTION_BYTES,
  CPB_SECTION_ZEROS,
  CPB_SECTION_WALK, /* of `size` bytes only the block headers among them are written */
  CPB_SECTION_JUMP  /* output goes on at the file offset `size` */
} cpb_section_kind;

/* What is still to be output. */
typedef struct cpb_section {
  cpb_section_kind kind;
  const uint8_t *data;
  uint64_t size; /* without block headers */
} cpb_section;

typedef struct cpb_chunk_writer {
  bool bare;
  uint64_t pos;            /* where the next byte goes */
  uint64_t begin, end;     /* of the current chunk; end is UINT64_MAX while unknown */
  cpb_section sections[8]; /* enough for open, data and close together */
  unsigned section, num_sections;
  uint8_t chunk_header[CPB_CHUNK_HEADER_SIZE];
  uint8_t block_header[CPB_BLOCK_HEADER_SIZE];
} cpb_chunk_writer;

/* Bytes to write at a file offset. */
typedef struct cpb_output_bytes {
  uint64_t offset;
  const uint8_t *data;
  size_t size;
} cpb_output_bytes;

void cpb_chunk_writer_init(cpb_chunk_writer *w, uint64_t pos);

/* The next bytes to write, valid until the next call; false when all are. */
bool cpb_chunk_writer_next(cpb_chunk_writer *w, cpb_output_bytes *out);
static inline bool cpb_chunk_writer_idle(const cpb_chunk_writer *w) { return w->section == w->num_sections; }

/* Each of these needs an idle writer, but that `data` and `close` may follow `open` and
 * `data` at once. False: the file would exceed 2^64 bytes. */

/* A complete chunk with the data `head` followed by `body`. */
bool cpb_chunk_writer_chunk(cpb_chunk_writer *w, const cpb_chunk_header *header, cpb_span head, cpb_span body);

/* A chunk whose hash is not known yet, and with `data_size` UINT64_MAX not its size either.
 * It must not have more records than bytes, as its end is computed without them. */
bool cpb_chunk_writer_open(cpb_chunk_writer *w, uint64_t data_size);
void cpb_chunk_writer_data(cpb_chunk_writer *w, cpb_span data);
bool cpb_chunk_writer_close(cpb_chunk_writer *w, const cpb_chunk_header *header);

/* A padding chunk that ends at a multiple of `padding`; none for 0 and 1. */
bool cpb_chunk_writer_pad(cpb_chunk_writer *w, uint64_t padding);

/* Zeros up to where a chunk can begin, for a file that ends inside a block header. */
void cpb_chunk_writer_align(cpb_chunk_writer *w);

#endif

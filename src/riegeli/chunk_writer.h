/* Writes Riegeli chunks to a file, with a block header at every multiple of 64 KiB. Data is not copied: it must stay
 * valid until it was output.
 *
 * A complete chunk is written at once. A chunk whose hash or size is not yet known is opened, given data, and closed.
 * Its chunk header is first output as zeros, and so are block headers while the size is unknown, because they contain
 * the distance to the end of the chunk. Closing outputs them again.
 *
 * A bare writer leaves out block headers and padding, which depend on the place of a chunk in its file; it supports
 * only complete chunks. */
#ifndef CPB_RIEGELI_CHUNK_WRITER_H
#define CPB_RIEGELI_CHUNK_WRITER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "riegeli/block.h"

#define CPB_CHUNK_MAX_PADDING ((uint64_t)1 << 30)

typedef enum cpb_section_kind {
  CPB_SECTION_BYTES,
  CPB_SECTION_ZEROS,
  CPB_SECTION_WALK, /* only the block headers among `size` bytes are written */
  CPB_SECTION_JUMP  /* output continues at the file offset `size` */
} cpb_section_kind;

/* A piece of pending output. */
typedef struct cpb_section {
  cpb_section_kind kind;
  const uint8_t *data;
  uint64_t size; /* without block headers */
} cpb_section;

typedef struct cpb_chunk_writer {
  bool bare;
  uint64_t pos;            /* place of the next byte */
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

/* The next bytes to write, valid until the next call; false after the last. */
bool cpb_chunk_writer_next(cpb_chunk_writer *w, cpb_output_bytes *out);
static inline bool cpb_chunk_writer_idle(const cpb_chunk_writer *w) { return w->section == w->num_sections; }

/* Each of these needs an idle writer, except that `data` may directly follow `open`, and `close` may follow `data`.
 * False: the file would exceed 2^64 bytes. */

/* A complete chunk with the data `head` followed by `body`. */
bool cpb_chunk_writer_chunk(cpb_chunk_writer *w, const cpb_chunk_header *header, cpb_span head, cpb_span body);

/* A chunk whose hash is not yet known; with `data_size` UINT64_MAX, neither is its size. It must not have more records
 * than bytes, because its end is computed without them. */
bool cpb_chunk_writer_open(cpb_chunk_writer *w, uint64_t data_size);
void cpb_chunk_writer_data(cpb_chunk_writer *w, cpb_span data);
bool cpb_chunk_writer_close(cpb_chunk_writer *w, const cpb_chunk_header *header);

/* A padding chunk that ends at a multiple of `padding`; none for 0 and 1. */
bool cpb_chunk_writer_pad(cpb_chunk_writer *w, uint64_t padding);

/* Zeros up to the next place where a chunk can begin, for a file that ends inside a block header. */
void cpb_chunk_writer_align(cpb_chunk_writer *w);

#endif

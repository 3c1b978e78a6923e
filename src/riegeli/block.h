/* The geometry of a Riegeli/records file: blocks, their headers, and the chunks
 * that they interrupt.
 *
 * Every multiple of 64 KiB begins with a block header of 24 bytes; chunks flow
 * around it. A chunk may begin before a block header but neither inside nor
 * immediately after it. Within this folder a "chunk" is a Riegeli chunk. */
#ifndef CPB_RIEGELI_BLOCK_H
#define CPB_RIEGELI_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPB_BLOCK_SIZE ((uint64_t)1 << 16)
#define CPB_BLOCK_HEADER_SIZE 24
#define CPB_BLOCK_USABLE (CPB_BLOCK_SIZE - CPB_BLOCK_HEADER_SIZE)
#define CPB_CHUNK_HEADER_SIZE 40
#define CPB_SIGNATURE_SIZE (CPB_BLOCK_HEADER_SIZE + CPB_CHUNK_HEADER_SIZE)
#define CPB_MAX_NUM_RECORDS (((uint64_t)1 << 56) - 1)

enum {
  CPB_CHUNK_SIGNATURE = 's',
  CPB_CHUNK_METADATA = 'm',
  CPB_CHUNK_PADDING = 'p',
  CPB_CHUNK_SIMPLE = 'r',
  CPB_CHUNK_TRANSPOSED = 't'
};

/* --- Positions ------------------------------------------------------------ */

static inline uint64_t cpb_block_begin(uint64_t pos) { return pos & ~(CPB_BLOCK_SIZE - 1); }

/* Bytes until the next block boundary; 0 at a boundary. */
static inline uint64_t cpb_block_remaining(uint64_t pos) { return (0 - pos) & (CPB_BLOCK_SIZE - 1); }

/* Bytes until the end of the block header that `pos` is in, or before; else 0. */
static inline size_t cpb_block_header_remaining(uint64_t pos) {
  uint64_t in_block = pos & (CPB_BLOCK_SIZE - 1);
  return in_block < CPB_BLOCK_HEADER_SIZE ? (size_t)(CPB_BLOCK_HEADER_SIZE - in_block) : 0;
}

static inline bool cpb_is_chunk_boundary(uint64_t pos) { return cpb_block_remaining(pos) < CPB_BLOCK_USABLE; }

/* The first possible chunk boundary at or after `pos`. */
uint64_t cpb_round_up_to_chunk_boundary(uint64_t pos);

/* Where `size` bytes that begin at the chunk boundary `chunk_begin` end in the
 * file, block headers included. False when that is past 2^64. */
bool cpb_add_with_overhead(uint64_t chunk_begin, uint64_t size, uint64_t *end);

/* The inverse: bytes of the chunk in [chunk_begin, pos), block headers left out. */
uint64_t cpb_distance_without_overhead(uint64_t chunk_begin, uint64_t pos);

/* The end of the chunk, its padding included. False when past 2^64. */
bool cpb_chunk_end(uint64_t chunk_begin, uint64_t data_size, uint64_t num_records, uint64_t *end);

/* --- Headers -------------------------------------------------------------- */

typedef struct cpb_block_header {
  uint64_t previous_chunk; /* from the begin of the interrupted chunk to the block's */
  uint64_t next_chunk;     /* from the block's begin to the end of that chunk */
} cpb_block_header;

typedef struct cpb_chunk_header {
  uint64_t data_size; /* without block headers */
  uint64_t data_hash;
  uint64_t num_records; /* at most CPB_MAX_NUM_RECORDS */
  uint64_t decoded_data_size;
  uint8_t type;
} cpb_chunk_header;

/* Encoding computes the header's hash; decoding is false when it differs. */
void cpb_block_header_encode(const cpb_block_header *header, uint8_t out[CPB_BLOCK_HEADER_SIZE]);
bool cpb_block_header_decode(const uint8_t bytes[CPB_BLOCK_HEADER_SIZE], cpb_block_header *header);
void cpb_chunk_header_encode(const cpb_chunk_header *header, uint8_t out[CPB_CHUNK_HEADER_SIZE]);
bool cpb_chunk_header_decode(const uint8_t bytes[CPB_CHUNK_HEADER_SIZE], cpb_chunk_header *header);

#endif

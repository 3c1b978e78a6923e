/* The layout of a Riegeli/records file: block headers, and the chunks that they interrupt. In this folder "chunk" means
 * Riegeli chunk.
 *
 * A block header of 24 bytes is at every multiple of 64 KiB, and the bytes of a chunk continue after it. A chunk may
 * begin at a block boundary, and is then interrupted at once, but neither inside a block header nor right after one. */
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

/* If `pos` is inside a block header, or where one begins: bytes until its end; else 0. */
static inline size_t cpb_block_header_remaining(uint64_t pos) {
  uint64_t in_block = pos & (CPB_BLOCK_SIZE - 1);
  return in_block < CPB_BLOCK_HEADER_SIZE ? (size_t)(CPB_BLOCK_HEADER_SIZE - in_block) : 0;
}

static inline bool cpb_is_chunk_boundary(uint64_t pos) { return cpb_block_remaining(pos) < CPB_BLOCK_USABLE; }

/* The first place at or after `pos` where a chunk can begin. */
uint64_t cpb_round_up_to_chunk_boundary(uint64_t pos);

/* The file offset at which `size` bytes of a chunk end that begins at `chunk_begin`,
 * counting the block headers on the way. False when it exceeds 2^64. */
bool cpb_add_with_overhead(uint64_t chunk_begin, uint64_t size, uint64_t *end);

/* The inverse: how many bytes of the chunk are in [chunk_begin, pos), without block
 * headers. */
uint64_t cpb_distance_without_overhead(uint64_t chunk_begin, uint64_t pos);

/* The file offset at which the chunk ends, with its padding: a chunk takes at least as many
 * bytes as it has records, so that record positions are unique. False when it exceeds
 * 2^64. */
bool cpb_chunk_end(uint64_t chunk_begin, uint64_t data_size, uint64_t num_records, uint64_t *end);

/* --- Headers -------------------------------------------------------------- */

/* The beginning of every file: the hash of its first block header, which is always the same. */
enum { CPB_FILE_SIGNATURE_SIZE = 8 };
extern const uint8_t cpb_file_signature[CPB_FILE_SIGNATURE_SIZE];

typedef struct cpb_block_header {
  uint64_t previous_chunk; /* distance from the beginning of the interrupted chunk to this block */
  uint64_t next_chunk;     /* distance from this block to the end of that chunk */
} cpb_block_header;

typedef struct cpb_chunk_header {
  uint64_t data_size; /* without block headers */
  uint64_t data_hash;
  uint64_t num_records; /* at most CPB_MAX_NUM_RECORDS */
  uint64_t decoded_data_size;
  uint8_t type;
} cpb_chunk_header;

/* Encoding computes the hash that a header begins with; decoding returns false when it
 * does not match. */
void cpb_block_header_encode(const cpb_block_header *header, uint8_t out[CPB_BLOCK_HEADER_SIZE]);
bool cpb_block_header_decode(const uint8_t bytes[CPB_BLOCK_HEADER_SIZE], cpb_block_header *header);
void cpb_chunk_header_encode(const cpb_chunk_header *header, uint8_t out[CPB_CHUNK_HEADER_SIZE]);
bool cpb_chunk_header_decode(const uint8_t bytes[CPB_CHUNK_HEADER_SIZE], cpb_chunk_header *header);

#endif

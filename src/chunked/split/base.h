/* A base: what a split knows of the chunks of another .cpb file, to refer to them instead of writing them again. */
#ifndef CPB_CHUNKED_SPLIT_BASE_H
#define CPB_CHUNKED_SPLIT_BASE_H

#include "base/column.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "base/sha256.h"
#include "chunked/split/plan.h"
#include "cpb/split.h"

/* Of the plan's chunks that are worth a reference: how large they are, each size once. */
typedef struct cpb_base_size {
  cpb_ordered_links links;
  uint64_t size;
} cpb_base_size;

/* A chunk of the base. Of several with the same bytes there is the first. */
typedef struct cpb_base_chunk {
  cpb_ordered_links links;
  uint32_t file; /* 0: the base itself; else as its index counts */
  uint64_t size;
  uint64_t position, data_hash; /* where it is in that file */
  uint8_t hash[CPB_SHA256_SIZE];
} cpb_base_chunk;

typedef enum cpb_base_state { CPB_BASE_INDEX, CPB_BASE_NEXT, CPB_BASE_READ, CPB_BASE_DONE } cpb_base_state;

struct cpb_split_base {
  cpb_allocator outer; /* of the base itself, and of `sizes` */
  cpb_meter meter;
  cpb_allocator allocator; /* of all else */
  cpb_error error;
  cpb_limits limits;
  size_t read_size;
  cpb_buffer names;      /* of the base and of the files that it refers to, for a file that refers to them, too: */
  cpb_column names_ends; /* by file; 0 is the base itself */
  cpb_base_state state;
  cpb_index *index;
  cpb_chunk_reader *reader;
  cpb_base_size *sizes;
  size_t num_sizes, sizes_capacity;
  uint32_t sizes_root;
  cpb_base_chunk *chunks;
  size_t num_chunks, chunks_capacity;
  uint32_t chunks_root;
  uint64_t chunk; /* that is read, of the index */
  cpb_sha256 hash;
  uint64_t done, total; /* bytes of chunks that are hashed */
};

/* `plan`: what it is for; NULL is an error of the first step. NULL when memory is short. */
cpb_split_base *cpb_base_new(const cpb_allocator *allocator, const cpb_plan *plan,
                             const cpb_split_base_options *options);

/* The chunk of these bytes, or CPB_ORDERED_NONE. */
uint32_t cpb_base_find(const cpb_split_base *base, uint64_t size, const uint8_t hash[CPB_SHA256_SIZE]);

/* The base itself, or a file that it refers to: what a file that refers to it has to say of it. */
cpb_other_file cpb_base_file(const cpb_split_base *base, uint32_t file);

/* Whether there is any chunk of that size. */
bool cpb_base_has_size(const cpb_split_base *base, uint64_t size);

#endif

/* A base: the chunks of another .cpb file, which a split can refer to instead of writing them again. */
#ifndef CPB_CHUNKED_SPLIT_BASE_H
#define CPB_CHUNKED_SPLIT_BASE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/column.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "base/sha256.h"
#include "chunked/split/plan.h"
#include "cpb/split.h"

/* The sizes of the plan's chunks that are worth a reference, each once. */
typedef struct cpb_base_size {
  cpb_ordered_links links;
  uint64_t size;
} cpb_base_size;

/* A chunk of the base; the first of several with the same bytes. */
typedef struct cpb_base_chunk {
  cpb_ordered_links links;
  uint32_t file; /* 0: the base itself; else the number in its index */
  uint64_t size;
  uint64_t position, data_hash; /* its position in that file */
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
  cpb_buffer names;      /* the names of the base and of the files that it refers to, for a new file that also refers to
                          * them */
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
  uint64_t chunk; /* the index's number of the chunk being read */
  cpb_sha256 hash;
  uint64_t done, total; /* bytes of chunks that are hashed */
};

/* `plan` is the plan that uses the base; NULL is an error of the first step. NULL if memory is short. */
cpb_split_base *cpb_base_new(const cpb_allocator *allocator, const cpb_plan *plan,
                             const cpb_split_base_options *options);

/* The chunk with these bytes, or CPB_ORDERED_NONE. */
uint32_t cpb_base_find(const cpb_split_base *base, uint64_t size, const uint8_t hash[CPB_SHA256_SIZE]);

/* The base itself, or a file that it refers to, as a file that refers to it must describe it. */
cpb_other_file cpb_base_file(const cpb_split_base *base, uint32_t file);

/* Whether any chunk has this size. */
bool cpb_base_has_size(const cpb_split_base *base, uint64_t size);

/* --- base names ------------------------------------------------------------------------------- */

/* Computes new names for the files that a base refers to, for a file that itself refers to them. */

/* Whether a base may have this name, else USAGE. */
bool cpb_base_name_check(cpb_span name, cpb_error *error);

/* Appends a new name for a file that the base calls `name`. Names of the base are relative to the base; the new name is
 * relative to the same place as the base's own name, which is the first `base` bytes of `names`. MEMORY; LIMIT: it is
 * too long. */
bool cpb_base_name_add(cpb_buffer *names, size_t base, cpb_span name, cpb_error *error);

#endif

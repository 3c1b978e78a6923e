/* Scans a ChunkMetadata as a stream: counts its chunks, notes where some of their entries begin, and looks up one entry
 * at a time. */
#ifndef CPB_CHUNKED_INDEX_PAGED_INDEX_H
#define CPB_CHUNKED_INDEX_PAGED_INDEX_H

#include "cpb/chunked.h"
#include "proto/wire.h"

enum { CPB_INDEX_MARKS = 64, CPB_INDEX_VERSION_MAX = 128 };

typedef struct cpb_paged_index {
  const cpb_allocator *allocator;
  uint64_t max_chunks;
  cpb_error *error;
  cpb_wire_scanner scanner;

  uint64_t num_chunks; /* counted so far */
  bool has_message;
  uint64_t message;                /* where the first one begins */
  uint64_t marks[CPB_INDEX_MARKS]; /* where every stride-th entry begins */
  uint64_t num_marks, stride;
  uint8_t version[CPB_INDEX_VERSION_MAX];
  size_t version_have, version_size; /* a VersionDef that is being gathered */

  uint64_t wanted, next; /* the entry that is looked up, or CPB_NO_CHUNK; and the one that comes next */
  cpb_chunk_info info;   /* of the current entry */
} cpb_paged_index;

/* `allocator` and `error` must outlive it. */
void cpb_paged_index_init(cpb_paged_index *p, const cpb_allocator *allocator, const cpb_limits *limits,
                          cpb_error *error);
void cpb_paged_index_free(cpb_paged_index *p);

/* Scans all of it: `size` bytes. */
void cpb_paged_index_scan(cpb_paged_index *p, uint64_t size);
/* Looks up an entry, which must exist, in the same bytes. */
void cpb_paged_index_find(cpb_paged_index *p, uint64_t chunk);

/* The offset of the byte that is needed next; at the end, the size. */
uint64_t cpb_paged_index_pos(const cpb_paged_index *p);

typedef enum cpb_paged {
  CPB_PAGED_MORE,  /* call again with bytes from cpb_paged_index_pos() on */
  CPB_PAGED_DONE,  /* the scan is over, or the entry is in p->info */
  CPB_PAGED_FAILED /* p->error: DAMAGED, LIMIT, UNSUPPORTED, MEMORY */
} cpb_paged;

/* Bytes from cpb_paged_index_pos() on. */
cpb_paged cpb_paged_index_feed(cpb_paged_index *p, cpb_span in);

#endif

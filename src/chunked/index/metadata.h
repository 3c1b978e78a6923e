/* ChunkMetadata in memory: the index at the end of a .cpb file, flat.
 *
 * The tree of ChunkedMessage and ChunkedField is one array of nodes: node 0 is
 * the root message; each other node is a ChunkedField together with the
 * ChunkedMessage it holds. Children follow their parent's `first_child` /
 * `next` links in the order of the file. Field tags of all nodes share one
 * array of tags, string map keys one buffer. */
#ifndef CPB_CHUNKED_INDEX_METADATA_H
#define CPB_CHUNKED_INDEX_METADATA_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/chunked.h"

/* KEY_STRING: value is an offset in `text`. */
typedef struct cpb_tag {
  uint64_t value;
  uint32_t length;
  cpb_tag_kind kind;
} cpb_tag;

/* The version of the merger that we are, for VersionDef.join_version and
 * bad_consumers. */
#define CPB_JOIN_VERSION 0

typedef struct cpb_chunked_node {
  uint64_t chunk;                                 /* chunk_index, or CPB_NO_CHUNK when absent */
  uint32_t first_tag, num_tags;                   /* in tags[]; none for the root */
  uint32_t parent, first_child, last_child, next; /* nodes, or CPB_NO_NODE */
  bool has_message;                               /* its ChunkedMessage was there, if an empty one */
} cpb_chunked_node;

typedef struct cpb_chunk_entry {
  uint64_t size, offset;
  uint32_t type; /* ChunkInfo.type as stored: a cpb_chunk_type or another number */
} cpb_chunk_entry;

typedef struct cpb_metadata {
  cpb_allocator allocator;
  int32_t splitter_version, join_version;
  int32_t *bad_consumers;
  size_t num_bad_consumers, bad_consumers_capacity;
  cpb_chunk_entry *chunks;
  size_t num_chunks, chunks_capacity;
  cpb_chunked_node *nodes; /* nodes[0] exists whenever num_nodes > 0 */
  size_t num_nodes, nodes_capacity;
  cpb_tag *tags;
  size_t num_tags, tags_capacity;
  cpb_buffer text;
} cpb_metadata;

void cpb_metadata_init(cpb_metadata *m, const cpb_allocator *a);
void cpb_metadata_free(cpb_metadata *m);

/* Decodes a serialized ChunkMetadata. Errors: DAMAGED with the offset in the
 * message, LIMIT (limits->chunks, also for nodes; limits->depth for the tree),
 * MEMORY, UNSUPPORTED (join_version above what we know, this version among the bad
 * consumers; the text says which version is needed). */
bool cpb_metadata_decode(cpb_metadata *m, cpb_span bytes, const cpb_limits *limits, cpb_error *error);
/* The same for a bare serialized ChunkedMessage (nodes only). */
bool cpb_metadata_decode_message(cpb_metadata *m, cpb_span bytes, const cpb_limits *limits, cpb_error *error);

/* Whether we may read a file with this VersionDef.join_version, or this number among
 * its bad_consumers; else UNSUPPORTED. */
bool cpb_metadata_accept_join(int32_t version, cpb_error *error);
bool cpb_metadata_accept_consumer(int32_t bad, cpb_error *error);

/* Appends the serialized ChunkMetadata to `out`. */
bool cpb_metadata_encode(const cpb_metadata *m, cpb_buffer *out, cpb_error *error);

/* Building. Each returns false (or CPB_NO_NODE) when memory is short. The root must be added
 * first, with parent CPB_NO_NODE. Tags are added to the node added last. */
uint32_t cpb_metadata_add_node(cpb_metadata *m, uint32_t parent, uint64_t chunk);
bool cpb_metadata_add_tag(cpb_metadata *m, cpb_tag tag);
bool cpb_metadata_add_string_key(cpb_metadata *m, cpb_span key);
bool cpb_metadata_add_chunk(cpb_metadata *m, cpb_chunk_entry chunk);

#endif

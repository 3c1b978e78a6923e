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
#include "proto/wire.h"

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
  uint32_t spare_tags;                            /* places after its tags that are kept for more of them */
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

/* --- Decoding --------------------------------------------------------------- */

/* What has failed. Less than all: the rest is only searched for mistakes that are reported first. */
typedef enum cpb_metadata_failure {
  CPB_METADATA_GOOD,
  CPB_METADATA_BAD_TREE,
  CPB_METADATA_BAD_CHUNK,
  CPB_METADATA_BAD
} cpb_metadata_failure;

typedef enum cpb_small_message { CPB_SMALL_NONE, CPB_SMALL_VERSION, CPB_SMALL_CHUNK, CPB_SMALL_TAG } cpb_small_message;

/* Decodes a serialized ChunkMetadata, or a bare ChunkedMessage (nodes only), as its bytes come. Of
 * these it keeps what belongs into the index. One of the small messages (VersionDef, ChunkInfo,
 * FieldIndex) that does not end in the same piece is gathered after the keys, in m->text. */
typedef struct cpb_metadata_decoder {
  cpb_metadata *m;
  uint64_t max_count;
  bool bare;
  cpb_wire_scanner scanner;
  uint64_t fed;
  uint32_t node;           /* that the scanner is in */
  cpb_small_message small; /* that the scanner is at */
  size_t gathered;         /* bytes of it */
  cpb_metadata_failure failed;
  cpb_error error; /* the last one; cleared while it is still searched for others */
  cpb_code code;   /* of that error */
} cpb_metadata_decoder;

/* `size`: how many bytes will be fed. `limits`: with a default for every zero. `m` was initialized, and must
 * outlive the decoder, which must stay where it is. */
void cpb_metadata_decoder_begin(cpb_metadata_decoder *d, cpb_metadata *m, bool bare, uint64_t size,
                                const cpb_limits *limits);

/* The bytes that follow; once nothing, if there are none. */
void cpb_metadata_decoder_feed(cpb_metadata_decoder *d, cpb_span in);

/* After the last byte. Errors: DAMAGED with the offset in the message, LIMIT (limits->chunks, also for
 * nodes; limits->depth for the tree), MEMORY, UNSUPPORTED (join_version above what we know, this version
 * among the bad consumers; the text says which version is needed). Of several mistakes it reports those of
 * ChunkMetadata itself and of the version first, since a later version may have another layout; then
 * chunks, and then the tree, where a field's tags come before its message. */
bool cpb_metadata_decoder_end(cpb_metadata_decoder *d, cpb_error *error);

/* At any time, or when it is all 0. */
void cpb_metadata_decoder_free(cpb_metadata_decoder *d);

/* All of it at once, from memory. */
bool cpb_metadata_decode(cpb_metadata *m, bool bare, cpb_span bytes, const cpb_limits *limits, cpb_error *error);

/* Whether we may read a file with this VersionDef.join_version, or this number among
 * its bad_consumers; else UNSUPPORTED. */
bool cpb_metadata_accept_join(int32_t version, cpb_error *error);
bool cpb_metadata_accept_consumer(int32_t bad, cpb_error *error);

/* --- Encoding, building ------------------------------------------------------ */

/* Appends the serialized ChunkMetadata to `out`. */
bool cpb_metadata_encode(const cpb_metadata *m, cpb_buffer *out, cpb_error *error);

/* Each returns false (or CPB_NO_NODE) when memory is short. The root must be added first, with parent
 * CPB_NO_NODE. */
uint32_t cpb_metadata_add_node(cpb_metadata *m, uint32_t parent, uint64_t chunk);
bool cpb_metadata_add_tag(cpb_metadata *m, uint32_t node, cpb_tag tag);
bool cpb_metadata_add_string_key(cpb_metadata *m, uint32_t node, cpb_span key); /* also of what is after m->text */
bool cpb_metadata_add_chunk(cpb_metadata *m, cpb_chunk_entry chunk);

#endif

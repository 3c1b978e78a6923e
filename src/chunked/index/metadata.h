/* ChunkMetadata in memory: the index at the end of a .cpb file, as columns.
 *
 * The tree of ChunkedMessage and ChunkedField is a list of nodes: node 0 is the root message; each other node is a
 * ChunkedField together with the ChunkedMessage it holds. A parent's children are linked by `first_child` / `next` in
 * the order of the file. Field tags of all nodes are in one list, string map keys in one buffer.
 *
 * A file may have millions of chunks, of which a reader wants one. Each chunk takes a few bytes in columns, and becomes
 * a struct only while it is in use. Most links need no column: if nodes are in the order of the file, node i + 1 is the
 * first child of node i, or the next child of its parent, or neither. */
#ifndef CPB_CHUNKED_INDEX_METADATA_H
#define CPB_CHUNKED_INDEX_METADATA_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/column.h"
#include "cpb/chunked.h"
#include "proto/wire.h"

/* --- field tag -------------------------------------------------------------------------------- */

/* FieldIndex: one tag of the path to a field. */

/* KEY_STRING: value is an offset in a text. */
typedef struct cpb_tag {
  uint64_t value;
  uint32_t length;
  cpb_tag_kind kind;
} cpb_tag;

/* Reads a serialized FieldIndex. NULL, with `tag` set, and the text of a string key, whose tag has only its length; or
 * the problem, and the message that has it. */
const char *cpb_tag_read(cpb_span in, cpb_tag *tag, cpb_span *key, const char **message);

/* Appends a FieldIndex as field `number`. False if memory is short. */
bool cpb_tag_append(cpb_buffer *out, uint32_t number, const cpb_tag *tag, const uint8_t *text);

/* The size of that. */
uint64_t cpb_tag_size(uint32_t number, const cpb_tag *tag, const uint8_t *text);

/* --- metadata fields -------------------------------------------------------------------------- */

/* The field numbers of the messages in chunk.proto that metadata_decode.c,
 * metadata_encode.c and paged_index.c walk themselves. */

enum {
  VERSION_JOIN = 2,
  VERSION_BAD_CONSUMERS = 3,
  METADATA_VERSION = 1,
  METADATA_CHUNKS = 2,
  METADATA_MESSAGE = 3,
  METADATA_FILES = 1001,
  METADATA_PAGES = 1010,
  CHUNK_INFO_TYPE = 1,
  CHUNK_INFO_SIZE = 2,
  CHUNK_INFO_OFFSET = 3,
  CHUNK_INFO_FILE = 1001,
  MESSAGE_CHUNK_INDEX = 1,
  MESSAGE_CHUNKED_FIELDS = 2,
  CHUNKED_FIELD_TAG = 1,
  CHUNKED_FIELD_MESSAGE = 3,
  FIELD_INDEX_FIELD = 1,
  FIELD_INDEX_INDEX = 3
};

/* --- page list -------------------------------------------------------------------------------- */

/* The pages of an index that is read by range: records before the last one, each a ChunkMetadata with a run
 * of the chunks, a run of the tree's nodes, or a list of further pages. The last record lists the first of
 * them (docs/chunked-format.md). */

typedef enum cpb_index_page_kind { CPB_PAGE_CHUNKS = 1, CPB_PAGE_NODES = 2 } cpb_index_page_kind;

enum { CPB_PAGE_LEVELS = 8 };

typedef struct cpb_index_page {
  uint64_t position, size; /* of its record */
  uint64_t first, count;   /* chunks or nodes: the number of the first one, and their count */
  uint32_t kind;
  uint32_t level;               /* 0: it has them itself; else it lists pages of the level below */
  bool apart;                   /* NODES: of all nodes, see tree_order.h */
  bool ordered;                 /* NODES: they come in the order of their paths, and `tags` are the first one's */
  uint32_t first_tag, num_tags; /* in the list's tags */
} cpb_index_page;

typedef struct cpb_page_list {
  cpb_allocator allocator;
  cpb_index_page *items;
  size_t count, capacity;
  cpb_tag *tags;
  size_t num_tags, tags_capacity;
  cpb_buffer text; /* of string keys */
} cpb_page_list;

void cpb_page_list_init(cpb_page_list *p, const cpb_allocator *a);
void cpb_page_list_free(cpb_page_list *p);

/* False if memory is short. Tags belong to the last page added. */
bool cpb_page_list_add(cpb_page_list *p, const cpb_index_page *page);
bool cpb_page_list_add_tag(cpb_page_list *p, cpb_tag tag, const uint8_t *text);

/* Appends an IndexPage as field METADATA_PAGES. */
bool cpb_page_list_put(const cpb_page_list *p, size_t i, cpb_buffer *out);

/* Adds a serialized IndexPage. NULL, or the problem; with `memory` set, the problem is only lack of memory. */
const char *cpb_page_list_read(cpb_page_list *p, cpb_span in, bool *memory);

/* --- metadata --------------------------------------------------------------------------------- */

/* This merger's version, for VersionDef.join_version and bad_consumers. */
#define CPB_JOIN_VERSION 1

/* The version required by a file whose index has pages. */
#define CPB_JOIN_PAGES 1

/* The first version that supports other files. */
#define CPB_JOIN_FILES 1

/* ChunkInfo.offset of a chunk in another file. TensorFlow's merger, which does not support other files, would use it as
 * a position: no file is this large, so it fails. */
#define CPB_ELSEWHERE ((uint64_t)1 << 62)

enum { CPB_FILE_NAME_MAX = 4096 };

typedef struct cpb_chunked_node {
  uint64_t chunk;                     /* chunk_index, or CPB_NO_CHUNK when absent */
  uint32_t first_tag, num_tags;       /* as cpb_metadata_tag() counts; none for the root */
  uint32_t parent, first_child, next; /* nodes, or CPB_NO_NODE */
  bool has_message;                   /* its ChunkedMessage was present, perhaps empty */
} cpb_chunked_node;

typedef struct cpb_chunk_entry {
  uint64_t size, offset;
  uint32_t type; /* ChunkInfo.type as stored: a cpb_chunk_type or another number */
} cpb_chunk_entry;

/* A chunk in another file; number 0 means this file. The entry's `offset` is then the position in the other file. */
typedef struct cpb_chunk_reference {
  uint32_t file;
  uint64_t data_hash; /* in the header of its Riegeli chunk */
} cpb_chunk_reference;

/* By chunk. */
typedef struct cpb_chunk_columns {
  cpb_column type, size, offset, file, data_hash;
} cpb_chunk_columns;

/* By node. The root's parent is stored as 0. */
typedef struct cpb_node_columns {
  cpb_column chunk; /* plus 1; 0: none */
  cpb_column first_tag, num_tags;
  cpb_column spare_tags; /* places after its tags, reserved for more of them */
  cpb_column parent;
  cpb_column first_child, next; /* if that is not node i + 1; 0: none */
  cpb_column no_message;
} cpb_node_columns;

/* By file, from 0 on: file 1 comes first. The name is in `names`. */
typedef struct cpb_file_columns {
  cpb_column name, length, size;
} cpb_file_columns;

/* By tag. */
typedef struct cpb_tag_columns {
  cpb_column value, length, kind;
} cpb_tag_columns;

typedef struct cpb_metadata {
  cpb_allocator allocator;
  int32_t splitter_version, join_version;
  int32_t *bad_consumers;
  size_t num_bad_consumers, bad_consumers_capacity;
  size_t num_chunks, num_nodes, num_tags; /* num_tags includes reserved places */
  cpb_chunk_columns chunks;
  cpb_node_columns nodes;
  cpb_tag_columns tags;
  cpb_file_columns files;
  size_t num_files;
  cpb_buffer names;
  uint32_t highest_file; /* that a chunk refers to */
  cpb_buffer text;
  cpb_page_list pages; /* the pages of the index, if it has any: `chunks` and `nodes` do not describe them */
} cpb_metadata;

void cpb_metadata_init(cpb_metadata *m, const cpb_allocator *a);
void cpb_metadata_free(cpb_metadata *m);

/* Moves the chunks and the tree of `from` into `to`, which has none. */
void cpb_metadata_move_tree(cpb_metadata *to, cpb_metadata *from);

/* For an index with pages: frees everything but the versions and the list of pages. */
void cpb_metadata_keep_pages(cpb_metadata *m);

/* --- Looking at it; what is asked for must exist ------------------------------ */

static inline cpb_chunk_entry cpb_metadata_chunk(const cpb_metadata *m, size_t i) {
  const cpb_chunk_columns *c = &m->chunks;
  return (cpb_chunk_entry){cpb_column_get(&c->size, i), cpb_column_get(&c->offset, i),
                           (uint32_t)cpb_column_get(&c->type, i)};
}

static inline cpb_chunk_reference cpb_metadata_reference(const cpb_metadata *m, size_t i) {
  return (cpb_chunk_reference){(uint32_t)cpb_column_get(&m->chunks.file, i), cpb_column_get(&m->chunks.data_hash, i)};
}

/* Whether chunks refer only to existing files; else DAMAGED. For the entire index. */
bool cpb_metadata_check_files(const cpb_metadata *m, cpb_error *error);

/* Whether nodes refer only to existing chunks; else DAMAGED. For the entire index. */
bool cpb_metadata_check_numbers(const cpb_metadata *m, cpb_error *error);

/* Whether another file may have this name, which appears in messages and is opened. */
bool cpb_metadata_is_file_name(cpb_span name);

/* Numbers begin at 1. */
cpb_other_file cpb_metadata_file(const cpb_metadata *m, uint32_t file);

static inline cpb_tag cpb_metadata_tag(const cpb_metadata *m, size_t i) {
  const cpb_tag_columns *c = &m->tags;
  return (cpb_tag){cpb_column_get(&c->value, i), (uint32_t)cpb_column_get(&c->length, i),
                   (cpb_tag_kind)cpb_column_get(&c->kind, i)};
}

/* Parts of cpb_metadata_node(). */
uint32_t cpb_metadata_parent(const cpb_metadata *m, uint32_t node);
uint32_t cpb_metadata_first_child(const cpb_metadata *m, uint32_t node);
uint32_t cpb_metadata_next(const cpb_metadata *m, uint32_t node);

/* The next node in the file's order: the first child, else the next sibling of the node or of the nearest ancestor that
 * has one. */
uint32_t cpb_metadata_following(const cpb_metadata *m, uint32_t node);

cpb_chunked_node cpb_metadata_node(const cpb_metadata *m, uint32_t node);

/* --- Decoding --------------------------------------------------------------- */

/* The part that has failed. Unless it is everything, the rest is only searched for mistakes that are reported first. */
typedef enum cpb_metadata_failure {
  CPB_METADATA_GOOD,
  CPB_METADATA_BAD_TREE,
  CPB_METADATA_BAD_CHUNK,
  CPB_METADATA_BAD
} cpb_metadata_failure;

typedef enum cpb_small_message {
  CPB_SMALL_NONE,
  CPB_SMALL_VERSION,
  CPB_SMALL_CHUNK,
  CPB_SMALL_FILE,
  CPB_SMALL_TAG,
  CPB_SMALL_PAGE
} cpb_small_message;

/* Decodes a serialized ChunkMetadata, or a bare ChunkedMessage (nodes only), as its bytes arrive, and keeps the
 * contents that belong in the index. A small message (VersionDef, ChunkInfo, FieldIndex, IndexPage) that does not end
 * in the same piece is gathered after the keys, in m->text. */
typedef struct cpb_metadata_decoder {
  cpb_metadata *m;
  uint64_t max_count;
  bool bare;
  cpb_wire_scanner scanner;
  uint64_t fed;
  uint32_t node;           /* the node that the scanner is in */
  cpb_small_message small; /* the small message that the scanner is in */
  size_t gathered;         /* bytes of it */
  cpb_metadata_failure failed;
  cpb_error error; /* the last one; cleared while others are still searched for */
  cpb_code code;   /* of that error */
} cpb_metadata_decoder;

/* `size` is the number of bytes that will be fed. `limits` has a default for every zero. `m` was initialized and must
 * outlive the decoder, which must not move. */
void cpb_metadata_decoder_begin(cpb_metadata_decoder *d, cpb_metadata *m, bool bare, uint64_t size,
                                const cpb_limits *limits);

/* Feeds the next bytes. Call it once even without any bytes. */
void cpb_metadata_decoder_feed(cpb_metadata_decoder *d, cpb_span in);

/* Call it after the last byte. Errors: DAMAGED with the offset in the message, LIMIT (limits->chunks, also for nodes;
 * limits->depth for the tree), MEMORY, UNSUPPORTED (join_version above ours, or this version among the bad consumers;
 * the text says which version is needed). If there are several mistakes, those of ChunkMetadata itself and of the
 * version come first, because a later version may have another layout; then chunks, and then the tree, where a field's
 * tags come before its message. */
bool cpb_metadata_decoder_end(cpb_metadata_decoder *d, cpb_error *error);

/* At any time, also if it is all 0. */
void cpb_metadata_decoder_free(cpb_metadata_decoder *d);

/* Decodes all of it at once, from memory. */
bool cpb_metadata_decode(cpb_metadata *m, bool bare, cpb_span bytes, const cpb_limits *limits, cpb_error *error);

/* Whether we may read a file with this VersionDef.join_version, or with this number among its bad_consumers; else
 * UNSUPPORTED. */
bool cpb_metadata_accept_join(int32_t version, cpb_error *error);
bool cpb_metadata_accept_consumer(int32_t bad, cpb_error *error);

/* --- Encoding, building ------------------------------------------------------ */

/* Appends the serialized ChunkMetadata to `out`. */
bool cpb_metadata_encode(const cpb_metadata *m, cpb_buffer *out, cpb_error *error);

/* Each returns false (or CPB_NO_NODE) if memory is short. The root must be added first, with parent CPB_NO_NODE. Adding
 * a node takes constant time on average in the order of a file: its parent is then the last node, or one around it. */
uint32_t cpb_metadata_add_node(cpb_metadata *m, uint32_t parent, uint64_t chunk);
bool cpb_metadata_set_chunk(cpb_metadata *m, uint32_t node, uint64_t chunk);
bool cpb_metadata_set_message(cpb_metadata *m, uint32_t node, bool has_message); /* a new node has one */
bool cpb_metadata_add_tag(cpb_metadata *m, uint32_t node, cpb_tag tag);
bool cpb_metadata_add_string_key(cpb_metadata *m, uint32_t node, cpb_span key); /* `key` may also be the bytes after
                                                                                 * m->text */
bool cpb_metadata_add_chunk(cpb_metadata *m, cpb_chunk_entry chunk);
bool cpb_metadata_set_entry(cpb_metadata *m, size_t i, cpb_chunk_entry chunk);
bool cpb_metadata_set_reference(cpb_metadata *m, size_t i, cpb_chunk_reference reference);
bool cpb_metadata_add_file(cpb_metadata *m, cpb_span name, uint64_t size);

/* Copies a chunk of another index, as the next chunk. */
bool cpb_metadata_copy_chunk(cpb_metadata *to, const cpb_metadata *from, size_t i);

/* Copies a node of another index, with its tags, as the next child of `parent`; CPB_NO_NODE if memory is short. */
uint32_t cpb_metadata_copy_node(cpb_metadata *to, uint32_t parent, const cpb_metadata *from, uint32_t node,
                                bool with_chunk);

/* Makes separate columns; free them with cpb_chunk_columns_free(). */
bool cpb_chunk_columns_copy(cpb_chunk_columns *c, const cpb_allocator *a, const cpb_chunk_columns *from);
void cpb_chunk_columns_free(cpb_chunk_columns *c, const cpb_allocator *a);

#endif

/* The data of a transposed chunk, parsed: a state machine that assembles the records, and the buffers with their
 * fields. (docs/riegeli-transposed.md) */
#ifndef CPB_RIEGELI_TRANSPOSE_PROGRAM_H
#define CPB_RIEGELI_TRANSPOSE_PROGRAM_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"
#include "riegeli/codec/decompressor.h"
#include "riegeli/projection.h"

/* --- cursor ----------------------------------------------------------------------------------- */

/* The rest of the stored data of a chunk, of its header or of a buffer, in place: contiguous, or in the file with a
 * block header at the end of each piece but the last. A buffer has the values of one field, the last first. */

/* Whether data is used in place. 0: it is first collected, and large values are copied as well, which takes less
 * code. */
#ifndef CPB_TRANSPOSE_IN_PLACE
#  define CPB_TRANSPOSE_IN_PLACE 1
#endif

typedef struct cpb_transpose_cursor {
  const uint8_t *next, *end; /* the current piece */
  size_t rest;               /* bytes after it; if there are any, a block header follows at `end` */
} cpb_transpose_cursor;

static inline cpb_transpose_cursor cpb_transpose_cursor_of(cpb_span span) {
  const uint8_t *begin = span.data;
  return (cpb_transpose_cursor){begin, span.size > 0 ? begin + span.size : begin, 0};
}

static inline size_t cpb_transpose_cursor_rest(const cpb_transpose_cursor *c) {
  return CPB_TRANSPOSE_IN_PLACE ? c->rest : 0;
}

static inline size_t cpb_transpose_cursor_size(const cpb_transpose_cursor *c) {
  return (size_t)(c->end - c->next) + cpb_transpose_cursor_rest(c);
}

/* Takes `size` bytes off the front; there must be as many. */
cpb_transpose_cursor cpb_transpose_cursor_take(cpb_transpose_cursor *c, size_t size);

/* Takes the last piece off the end, or all if there is one piece. */
cpb_span cpb_transpose_cursor_take_last(cpb_transpose_cursor *c);

/* Copies the next `size` bytes without taking them. */
void cpb_transpose_cursor_peek(const cpb_transpose_cursor *c, uint8_t *out, size_t size);

/* Takes the first piece off the front, or everything if there is only one. */
cpb_span cpb_transpose_cursor_take_first(cpb_transpose_cursor *c);

/* Takes a varint of 64 bits; false if it is malformed or cut off. */
bool cpb_transpose_cursor_read_u64(cpb_transpose_cursor *c, uint64_t *value);

/* Takes a varint of at most 5 bytes and 32 bits; false if it is malformed or cut off. */
bool cpb_transpose_cursor_read_long_u32(cpb_transpose_cursor *c, uint32_t *value);
static inline bool cpb_transpose_cursor_read_u32(cpb_transpose_cursor *c, uint32_t *value) {
  if (c->next == c->end || *c->next >= 0x80) return cpb_transpose_cursor_read_long_u32(c, value);
  *value = *c->next++;
  return true;
}

/* --- program ---------------------------------------------------------------------------------- */

/* The operation of a node: most put something in front of the output. */
typedef enum cpb_transpose_op {
  CPB_OP_NOTHING,
  CPB_OP_TAG,              /* `tag`: start or end of a group, or a field with its value */
  CPB_OP_VALUE,            /* `tag`, then value_size bytes from the buffer */
  CPB_OP_STRING,           /* `tag`, then a length and as many bytes from the buffer */
  CPB_OP_SUBMESSAGE_END,   /* comes first, because records are written backwards */
  CPB_OP_SUBMESSAGE_START, /* puts the `tag` of the end's node, and the length since then */
  CPB_OP_RECORD_START,
  CPB_OP_NON_PROTO, /* a whole record that is not a protobuf message */
  CPB_OP_LEFT_OUT,  /* a field that is not selected (project.c) */
  CPB_OP_NOWHERE    /* beyond the last node */
} cpb_transpose_op;

#define CPB_TRANSPOSE_TAG_ROOM 8

typedef struct cpb_transpose_node {
  uint8_t tag[CPB_TRANSPOSE_TAG_ROOM]; /* in its last tag_size bytes */
  cpb_transpose_cursor *buffer;
  struct cpb_transpose_node *next;
  size_t visit; /* for has_implicit_loop(): the first walk that came here; then for project.c */
  uint8_t op;   /* cpb_transpose_op */
  uint8_t tag_size;
  uint8_t value_size;
  uint8_t varint;             /* 1: the value is a varint, and the buffer leaves out its top bits */
  uint8_t implicit;           /* 1: the machine continues at `next` without a transition */
  uint8_t left_out, is_field; /* for project.c */
} cpb_transpose_node;

/* A transition leads to `next` or at most this many nodes past it. */
#define CPB_TRANSPOSE_REACH 63

/* The blocks of memory that are reused for the next chunk. */
typedef enum cpb_transpose_block {
  CPB_TRANSPOSE_STORED, /* the data to be decompressed next, if it is in pieces */
  CPB_TRANSPOSE_HEADER, /* decompressed, or assembled from pieces */
  CPB_TRANSPOSE_VALUES, /* the buckets */
  CPB_TRANSPOSE_PATHS,  /* the transitions */
  CPB_TRANSPOSE_BUCKET_TABLE,
  CPB_TRANSPOSE_BUFFER_TABLE,
  CPB_TRANSPOSE_USE_TABLE,
  CPB_TRANSPOSE_NODE_TABLE,
  CPB_TRANSPOSE_NUM_BLOCKS
} cpb_transpose_block;

/* Buffers that are compressed together. */
typedef struct cpb_transpose_bucket {
  cpb_transpose_cursor stored;
  size_t size; /* decompressed */
  size_t num_buffers;
} cpb_transpose_bucket;

/* The kinds of a buffer's nodes, as bits. */
enum { CPB_BUFFER_NEEDED = 1, CPB_BUFFER_LEFT_OUT = 2 };

typedef struct cpb_transpose_program {
  cpb_allocator allocator;
  bool frugal;                    /* prefers less memory over speed: keeps nothing that is not needed */
  cpb_decompressor *decompressor; /* also kept; NULL until some data is compressed */
  cpb_buffer blocks[CPB_TRANSPOSE_NUM_BLOCKS];

  /* For the current chunk: */
  cpb_limits limits;
  cpb_error *error;
  uint64_t num_records, decoded_size; /* from the chunk header */
  size_t least_part;                  /* a value of at least this size becomes a part (transpose.h) */
  uint8_t codec;
  bool projects;  /* only some fields are selected */
  bool projected; /* some nodes are left out: the records are smaller than the chunk header says */

  cpb_transpose_bucket *buckets;
  size_t num_buckets;
  cpb_transpose_cursor all_values; /* the buckets that are needed, with their buffers */
  cpb_transpose_cursor *buffers;   /* `rest` is their size until they are loaded */
  size_t num_buffers;
  cpb_transpose_cursor *record_sizes; /* of CPB_OP_NON_PROTO */
  cpb_transpose_node *nodes;          /* followed by CPB_TRANSPOSE_REACH NOWHERE nodes */
  size_t num_nodes;
  const cpb_transpose_node *first;
  cpb_span transitions;
} cpb_transpose_program;

void cpb_transpose_program_init(cpb_transpose_program *program, const cpb_allocator *a);
void cpb_transpose_program_free(cpb_transpose_program *program);
/* Forgets the last chunk. */
void cpb_transpose_program_begin(cpb_transpose_program *program);
/* Frees the blocks that are larger than `keep` bytes. */
void cpb_transpose_program_trim(cpb_transpose_program *program, size_t keep);

/* Upper bound of the bytes of header and transitions, and of the number of idle nodes: Riegeli makes no larger machine
 * for records of this size. */
uint64_t cpb_transpose_plausible(const cpb_transpose_program *program);

/* Fails with CPB_E_DAMAGED. Returns false. */
bool cpb_transpose_damaged(const cpb_transpose_program *program, const char *text);

/* Decompresses `in` and appends it to the block, at most `max` bytes. `what` names it in errors. */
bool cpb_transpose_decompress(cpb_transpose_program *program, cpb_transpose_cursor in, uint64_t max, const char *what,
                              cpb_transpose_block block);

/* `in` as one piece: in place, or decompressed or copied into the block. */
bool cpb_transpose_in_one_piece(cpb_transpose_program *program, cpb_transpose_cursor in, const char *what,
                                cpb_transpose_block block, cpb_span *span);

/* A table of `count` elements in a block, all 0. NULL after an error. The caller has checked that the input has at
 * least one byte for each, so that a small input cannot require a large table. */
void *cpb_transpose_table(cpb_transpose_program *program, cpb_transpose_block block, size_t count, size_t element);

/* --- buffers ---------------------------------------------------------------------------------- */

/* The buffers of a transposed chunk: buckets are compressed together, and then cut into buffers. */

/* Parses the first part of the header, with the sizes, and takes the buckets off the front of
 * `data`. */
bool cpb_transpose_parse_buffers(cpb_transpose_program *program, cpb_transpose_cursor *header,
                                 cpb_transpose_cursor *data);

/* Decompresses the buckets that have a needed buffer, and cuts them into buffers; the others stay compressed, and their
 * buffers empty. `use` marks the buffers (CPB_BUFFER_NEEDED); NULL: all are needed. */
bool cpb_transpose_load_buffers(cpb_transpose_program *program, const uint8_t *use);

/* --- nodes ------------------------------------------------------------------------------------ */

/* The nodes of the state machine, from the header of a transposed chunk. */

/* Parses the second part of the header. */
bool cpb_transpose_parse_nodes(cpb_transpose_program *program, cpb_transpose_cursor *header);

/* --- project ---------------------------------------------------------------------------------- */

/* Finds the parts of a transposed chunk that a projection needs. */

/* Turns the nodes of unselected fields into CPB_OP_LEFT_OUT, and marks each buffer (CPB_BUFFER_NEEDED), before any is
 * loaded. `*filter`: the machine's records may still have unselected fields. `*use` is NULL if everything is needed. */
bool cpb_transpose_project(cpb_transpose_program *program, const cpb_projection *projection, const uint8_t **use,
                           bool *filter);

#endif

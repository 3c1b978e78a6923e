/* A transposed chunk's data, parsed: the state machine that puts the records
 * together and the buffers that it takes their fields from.
 * docs/riegeli-transposed.md describes the encoding. */
#ifndef CPB_RIEGELI_TRANSPOSE_PROGRAM_H
#define CPB_RIEGELI_TRANSPOSE_PROGRAM_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/base.h"

/* What a node puts in front of the output. */
typedef enum cpb_transpose_op {
  CPB_OP_NOTHING,
  CPB_OP_TAG,              /* `tag`: a group's start or end, or an inline value */
  CPB_OP_VALUE,            /* `tag`, then value_size bytes of the buffer */
  CPB_OP_STRING,           /* `tag`, then a length and so many bytes */
  CPB_OP_SUBMESSAGE_END,   /* met first, as records are written backwards */
  CPB_OP_SUBMESSAGE_START, /* the end's `tag` and the length since then */
  CPB_OP_RECORD_START,
  CPB_OP_NON_PROTO, /* a whole record that is no protobuf message */
  CPB_OP_NOWHERE    /* beyond the last node */
} cpb_transpose_op;

/* Walks the decompressed header, or a buffer: the values of one field, the last
 * record's first. */
typedef struct cpb_transpose_cursor {
  const uint8_t *next, *end;
} cpb_transpose_cursor;

#define CPB_TRANSPOSE_TAG_ROOM 8

typedef struct cpb_transpose_node {
  uint8_t tag[CPB_TRANSPOSE_TAG_ROOM]; /* the last tag_size bytes of it */
  cpb_transpose_cursor *buffer;
  struct cpb_transpose_node *next;
  size_t visit; /* the walk that met it, while loops are looked for */
  uint8_t op;   /* cpb_transpose_op */
  uint8_t tag_size;
  uint8_t value_size;
  uint8_t varint;   /* 1: all bytes of the value but the last continue */
  uint8_t implicit; /* 1: the way from here to `next` needs no transition */
} cpb_transpose_node;

/* A transition leads at most so many nodes past `next`. */
#define CPB_TRANSPOSE_REACH 63

typedef struct cpb_transpose_program {
  cpb_allocator allocator;
  cpb_limits limits;
  cpb_error *error;
  uint64_t num_records, decoded_size; /* as the chunk header says */
  uint8_t codec;

  cpb_buffer header, values, paths; /* what was decompressed */
  cpb_span all_values;              /* where all buffers are */
  cpb_transpose_cursor *buffers;
  size_t num_buffers;
  cpb_transpose_cursor *record_sizes; /* of CPB_OP_NON_PROTO */
  cpb_transpose_node *nodes;          /* and CPB_TRANSPOSE_REACH of NOWHERE */
  size_t num_nodes;
  const cpb_transpose_node *first;
  cpb_span transitions;
} cpb_transpose_program;

/* Whatever came of parsing it. */
void cpb_transpose_program_free(cpb_transpose_program *program);

/* An upper bound for anything that grows with the number of fields: a state
 * machine that needs more describes something else than these records. */
uint64_t cpb_transpose_plausible(const cpb_transpose_program *program);

/* Fails with DAMAGED: "transposed chunk: " and `text`. */
bool cpb_transpose_damaged(const cpb_transpose_program *program, const char *text);

/* Takes a varint of at most 5 bytes and 32 bits; false if there is none. */
bool cpb_transpose_read_u32(cpb_transpose_cursor *cursor, uint32_t *value);

/* Decompresses `in`, unless the codec is none, to the end of `out`; at most
 * `max` bytes. `what` names it in errors. */
bool cpb_transpose_decompress(cpb_transpose_program *program, cpb_span in, uint64_t max, const char *what,
                              cpb_buffer *out);

/* A zeroed table of `count` elements, which the input has already vouched for
 * with a byte each at least. NULL after an error. */
void *cpb_transpose_table(cpb_transpose_program *program, size_t count, size_t element);

#endif

/* The state of an encoder of transposed chunks.
 *
 * The fields of all records, distinguished by their paths, are numbered, and so are actions: the operations of a state
 * machine's node on a field. The records are then a sequence of actions. Because the machine runs backwards, a *move*
 * leads from an action to the one before it, and the sequence is kept as moves: from each action but the first to the
 * one before. */
#ifndef CPB_RIEGELI_TRANSPOSE_ENCODER_STATE_H
#define CPB_RIEGELI_TRANSPOSE_ENCODER_STATE_H

#include "riegeli/encoding.h"
#include "riegeli/transpose/columns.h"
#include "riegeli/transpose/format.h"
#include "riegeli/transpose/keys.h"

#define CPB_NO_COLUMN UINT32_MAX
#define CPB_NO_ACTION UINT32_MAX
#define CPB_NO_MOVE UINT32_MAX
#define CPB_NO_NODE_INDEX UINT32_MAX

/* The key of a field is its parent and its tag. The parent is one of these, or, for a field within field n, n +
 * CPB_PARENT_FIRST. With tag 0 the first three are fields of records themselves; the sizes of records that are not
 * messages have only values. */
enum {
  CPB_PARENT_RECORD_SIZES,
  CPB_PARENT_NON_PROTO = CPB_ID_NON_PROTO,
  CPB_PARENT_RECORD_START = CPB_ID_RECORD_START,
  CPB_PARENT_ROOT,
  CPB_PARENT_FIRST
};

static inline uint64_t cpb_field_key(uint32_t parent, uint32_t tag) { return (uint64_t)parent << 32 | tag; }
static inline uint32_t cpb_key_parent(uint64_t key) { return (uint32_t)(key >> 32); }
static inline uint32_t cpb_key_tag(uint64_t key) { return (uint32_t)key; }

typedef struct cpb_transpose_field {
  uint32_t actions; /* the first of a list, CPB_NO_ACTION at its end */
  uint32_t column;  /* its values; CPB_NO_COLUMN: none yet */
} cpb_transpose_field;

/* Subtypes of length-delimited fields, which the header stores as tags of their own. */
enum { CPB_SUBTYPE_STRING, CPB_SUBTYPE_SUBMESSAGE_START, CPB_SUBTYPE_SUBMESSAGE_END };

typedef struct cpb_transpose_action {
  uint64_t key; /* of its field */
  uint32_t field, subtype;
  uint32_t next_of_field;
  uint32_t guess, guess_move; /* the action that followed last time in the records, and the move back from it */
  uint32_t moves, num_moves;  /* the first of the list of moves from here */

  /* The state machine. */
  uint32_t incoming; /* number of moves to this action that have no node of their own */
  uint32_t node;     /* in the public list */
  uint32_t base;     /* the first node that a transition byte reaches; CPB_NO_NODE_INDEX: no moves from here */
  uint32_t idle;     /* the node from which the public list is reached; CPB_NO_NODE_INDEX: from `base` */
} cpb_transpose_action;

typedef struct cpb_transpose_move {
  uint32_t next;  /* in the list of its action */
  uint32_t count; /* number of times it is made */
  uint32_t node;  /* its target; CPB_NO_NODE_INDEX: the action's node in the public list */
  uint32_t code;  /* how it is made: a transition byte, or CPB_CODE_.. */
} cpb_transpose_move;

enum { CPB_CODE_IMPLICIT = 256, CPB_CODE_LONG };

typedef struct cpb_transpose_node_plan {
  uint32_t action; /* CPB_NO_ACTION: an idle node */
  uint32_t base;   /* of an idle node */
  uint32_t source; /* the idle node from which a transition byte leads here, if any */
} cpb_transpose_node_plan;

/* An item of a list of nodes to be made. */
typedef struct cpb_transpose_entry {
  uint64_t count;  /* number of moves to it */
  uint32_t action; /* CPB_NO_ACTION: an idle node */
  uint32_t move;   /* the move to it, in a private list */
  uint32_t base;   /* of an idle node; CPB_NO_NODE_INDEX: leads into the public list */
} cpb_transpose_entry;

/* In the order in which their buffers are written. */
typedef enum cpb_column_kind {
  CPB_COLUMN_VARINT,
  CPB_COLUMN_FIXED32,
  CPB_COLUMN_FIXED64,
  CPB_COLUMN_STRING,
  CPB_COLUMN_NON_PROTO,
  CPB_COLUMN_RECORD_SIZES
} cpb_column_kind;

typedef struct cpb_transpose_column {
  cpb_column values;
  cpb_column_kind kind;
  uint32_t field;
  bool ends_bucket; /* it is the last in its bucket */
  uint64_t stored;  /* which takes this many bytes in the file */
} cpb_transpose_column;

struct cpb_transpose_encoder {
  cpb_allocator allocator;
  cpb_codec_error *error; /* of the current call */
  uint64_t num_records, decoded_size;

  cpb_keys field_keys;
  cpb_transpose_field *fields; /* as many */
  size_t fields_capacity;
  cpb_transpose_action *actions;
  size_t num_actions, actions_capacity;
  cpb_keys move_keys;        /* from << 32 | to */
  cpb_transpose_move *moves; /* as many */
  size_t moves_capacity;
  uint32_t first, last; /* first and last action of the sequence; CPB_NO_ACTION: none yet */
  uint32_t *sequence;
  size_t num_sequence, sequence_capacity;

  cpb_slabs slabs;
  cpb_transpose_column *columns;
  size_t num_columns, columns_capacity;

  cpb_transpose_node_plan *nodes;
  size_t num_nodes, nodes_capacity;
  cpb_transpose_entry *entries; /* of the list that is being made, followed by the idle nodes that it needs */
  size_t num_entries, entries_capacity;

  cpb_buffer header; /* before compression */
  cpb_buffer scratch;
  cpb_buffer head, body; /* of the chunk */
};

/* Sets the error and returns false. */
bool cpb_transpose_no_memory(const cpb_transpose_encoder *e);
bool cpb_transpose_too_much(const cpb_transpose_encoder *e, const char *what);

#endif

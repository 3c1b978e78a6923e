/* The state of an encoder of transposed chunks.
 *
 * The fields of all records, distinguished by their paths, are numbered, and so are actions: the operations of a state
 * machine's node on a field. The records are then a sequence of actions. Because the machine runs backwards, a *move*
 * leads from an action to the one before it, and the sequence is kept as moves: from each action but the first to the
 * one before. */
#ifndef CPB_RIEGELI_TRANSPOSE_ENCODER_STATE_H
#define CPB_RIEGELI_TRANSPOSE_ENCODER_STATE_H

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "riegeli/encoding.h"
#include "riegeli/transpose/format.h"

/* --- columns ---------------------------------------------------------------------------------- */

/* Columns: byte strings that grow at the front, many of them at once. A column is a list of blocks, each filled from
 * its end to its beginning, which are cut from slabs. So nothing moves when a column grows, and a small one takes
 * little memory. */

typedef struct cpb_slab cpb_slab;

typedef struct cpb_slabs {
  cpb_slab *used, *unused;
  uint8_t *next; /* in the slab that blocks are cut from */
  size_t left;   /* there */
  size_t in_use; /* bytes of the slabs in use */
  size_t total;  /* total bytes */
} cpb_slabs;

typedef struct cpb_column_block {
  struct cpb_column_block *older;
  size_t size;
} cpb_column_block; /* its bytes follow */

typedef struct cpb_column {
  cpb_column_block *newest;
  uint8_t *begin; /* of the used part of that block; from here on the block is full, like all older ones */
  size_t room;    /* bytes free before that */
  uint64_t size;  /* of all */
} cpb_column;

/* For cpb_column_put() if the room is too small. */
bool cpb_column_put_slowly(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes);

/* False if memory is short. */
static inline bool cpb_column_put(cpb_column *column, cpb_slabs *slabs, const cpb_allocator *a, cpb_span bytes) {
  if (bytes.size > column->room) return cpb_column_put_slowly(column, slabs, a, bytes);
  column->begin -= bytes.size;
  column->room -= bytes.size;
  column->size += bytes.size;
  memcpy(column->begin, bytes.data, bytes.size);
  return true;
}

/* The bytes of a column are those of its blocks, from the newest to the oldest. */
cpb_span cpb_column_bytes(const cpb_column *column, const cpb_column_block *block);

/* Frees all blocks, and the slabs in excess of `keep` bytes. */
void cpb_slabs_reset(cpb_slabs *slabs, const cpb_allocator *a, size_t keep);

/* --- keys ------------------------------------------------------------------------------------- */

/* Numbers 64-bit keys in the order of their first occurrence: 0, 1, 2 ...
 *
 * A trie over the mixed bits of a key, two at a time. Mixing is a bijection, so different keys differ in these bits,
 * and no path is longer than 32, whatever keys an input chooses. */

#define CPB_NO_NUMBER UINT32_MAX

typedef struct cpb_keys_entry {
  uint64_t key;
  uint32_t children[4]; /* 0: none, because the first entry is the root */
} cpb_keys_entry;

typedef struct cpb_keys {
  cpb_keys_entry *entries; /* by number */
  size_t count, capacity;
} cpb_keys;

/* The number of `key`; a new key gets the value of `count` before the call. CPB_NO_NUMBER if memory is short. */
uint32_t cpb_keys_number(cpb_keys *keys, const cpb_allocator *a, uint64_t key);

/* --- canonical -------------------------------------------------------------------------------- */

/* Decides which bytes can be split into fields and restored exactly. */

/* The deepest nesting of submessages and groups that are split; as in Riegeli, except that groups alone may be deeper
 * there. */
#define CPB_TRANSPOSE_DEPTH 100

/* Whether `bytes` are fields of a message, with groups nested at most `depth` deep, and all tags, lengths and varints
 * in their shortest form. The contents of length-delimited fields do not matter. */
bool cpb_transpose_is_message(cpb_span bytes, size_t depth);

/* --- encoder state ---------------------------------------------------------------------------- */

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

/* --- actions ---------------------------------------------------------------------------------- */

/* The sequence of actions that represents the records. In most records the same fields follow each other, so the action
 * that followed last time is tried first. */

uint32_t cpb_transpose_seek_field(cpb_transpose_encoder *e, uint32_t parent, uint32_t tag);
bool cpb_transpose_seek_action(cpb_transpose_encoder *e, uint32_t field, uint32_t subtype);
cpb_transpose_column *cpb_transpose_new_column(cpb_transpose_encoder *e, uint32_t field, cpb_column_kind kind);

/* The number of a field, a new one if necessary. CPB_NO_NUMBER after an error. */
static inline uint32_t cpb_transpose_field_of(cpb_transpose_encoder *e, uint32_t parent, uint32_t tag) {
  if (e->last != CPB_NO_ACTION) {
    const cpb_transpose_action *guess = &e->actions[e->actions[e->last].guess];
    if (guess->key == cpb_field_key(parent, tag)) return guess->field;
  }
  return cpb_transpose_seek_field(e, parent, tag);
}

/* Adds an action to the sequence. */
static inline bool cpb_transpose_act(cpb_transpose_encoder *e, uint32_t field, uint32_t subtype) {
  if (e->last == CPB_NO_ACTION || e->num_sequence == e->sequence_capacity)
    return cpb_transpose_seek_action(e, field, subtype);
  const cpb_transpose_action *last = &e->actions[e->last], *guess = &e->actions[last->guess];
  if (guess->field != field || guess->subtype != subtype || last->guess_move == CPB_NO_MOVE)
    return cpb_transpose_seek_action(e, field, subtype);
  e->last = last->guess;
  e->moves[last->guess_move].count++;
  e->sequence[e->num_sequence++] = last->guess_move;
  return true;
}

/* Puts a value in front of a field's. */
static inline bool cpb_transpose_put(cpb_transpose_encoder *e, uint32_t field, cpb_column_kind kind, cpb_span value) {
  const uint32_t number = e->fields[field].column;
  cpb_transpose_column *column =
      number != CPB_NO_COLUMN ? &e->columns[number] : cpb_transpose_new_column(e, field, kind);
  return column && (cpb_column_put(&column->values, &e->slabs, &e->allocator, value) || cpb_transpose_no_memory(e));
}

/* --- states ----------------------------------------------------------------------------------- */

/* Makes the state machine of a transposed chunk as Riegeli's writer does; sizes differ by at most 0.1 %.
 *
 * Each node performs an action: a field on its path, with its subtype. A move leads from each action to the one before
 * it in the records. If an action is always followed by the same other one, its transition is implicit, except for the
 * first action of all. The target of a move must be within 64 nodes of the action's `next`. Moves are counted, and
 *   - an action gets nodes of its own, its private list, for targets that it leads to at least 10 times, and for
 *     targets that no other action leads to and that have no node yet;
 *   - all other moves use one public list, with a node for each of their targets;
 *   - an action that needs both has a "nothing" node in its private list that leads to the public list; for a single
 *     target, the private list has the target instead.
 *
 * A list has the most frequent nodes first. A list of more than 64 nodes becomes a tree, made like a Huffman code with
 * 64 symbols: the rarest nodes form a block, and a "nothing" node that leads to the block replaces them, with the sum
 * of their counts, and so on. An action without a private list, and a "nothing" node that leads to the public list,
 * take the smallest branch of the public list that has all their targets; their `next` is the first target in it. */

/* Makes the nodes of the state machine, and sets how each move is encoded. */
bool cpb_transpose_make_states(cpb_transpose_encoder *e);

/* Appends the transition bytes of the whole sequence to `out`. */
bool cpb_transpose_put_transitions(cpb_transpose_encoder *e, cpb_buffer *out);

/* Whether no transition byte is read after `action`. Never after the first of the sequence: the machine
 * stops there, which it does only where a byte would be read. */
static inline bool cpb_transpose_is_implicit(const cpb_transpose_encoder *e, uint32_t action) {
  return e->actions[action].num_moves == 1 && action != e->first;
}

/* --- take apart ------------------------------------------------------------------------------- */

/* Adds the actions and values of a record, without counting it. */
bool cpb_transpose_take_apart(cpb_transpose_encoder *e, cpb_span record);

/* --- write chunk ------------------------------------------------------------------------------ */

/* After the nodes were made: writes buffers, nodes and transitions to `head` and `body`. */
bool cpb_transpose_write_chunk(cpb_transpose_encoder *e, cpb_compressor *compressor, uint64_t bucket_size);

#endif

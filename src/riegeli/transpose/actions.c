#include "riegeli/transpose/encoder_state.h"

/* CPB_RESERVE() with the encoder's error. */
#define RESERVE(e, items, capacity, count) \
  (CPB_RESERVE(&(e)->allocator, items, capacity, count) || cpb_transpose_no_memory(e))

uint32_t cpb_transpose_seek_field(cpb_transpose_encoder *e, uint32_t parent, uint32_t tag) {
  const size_t known = e->field_keys.count;
  if (known > UINT32_MAX - CPB_PARENT_FIRST - 1) {
    cpb_transpose_too_much(e, "transposed: too many different fields in a chunk");
    return CPB_NO_NUMBER;
  }
  if (!RESERVE(e, &e->fields, &e->fields_capacity, known + 1)) return CPB_NO_NUMBER;
  const uint32_t field = cpb_keys_number(&e->field_keys, &e->allocator, cpb_field_key(parent, tag));
  if (field == CPB_NO_NUMBER) cpb_transpose_no_memory(e);
  else if (field == known) e->fields[field] = (cpb_transpose_field){CPB_NO_ACTION, CPB_NO_COLUMN};
  return field;
}

static uint32_t add_action(cpb_transpose_encoder *e, uint32_t field, uint32_t subtype) {
  if (!RESERVE(e, &e->actions, &e->actions_capacity, e->num_actions + 1)) return CPB_NO_ACTION;
  const uint32_t added = (uint32_t)e->num_actions++;
  e->actions[added] = (cpb_transpose_action){.key = e->field_keys.entries[field].key,
                                             .field = field,
                                             .subtype = subtype,
                                             .next_of_field = e->fields[field].actions,
                                             .guess_move = CPB_NO_MOVE,
                                             .moves = CPB_NO_MOVE,
                                             .node = CPB_NO_NODE_INDEX,
                                             .base = CPB_NO_NODE_INDEX,
                                             .idle = CPB_NO_NODE_INDEX};
  e->fields[field].actions = added;
  return added;
}

/* A field has at most 14 actions: those of a varint field with all lengths and inline values. */
static uint32_t find_action(cpb_transpose_encoder *e, uint32_t field, uint32_t subtype) {
  uint32_t i = e->fields[field].actions;
  while (i != CPB_NO_ACTION && e->actions[i].subtype != subtype) i = e->actions[i].next_of_field;
  return i != CPB_NO_ACTION ? i : add_action(e, field, subtype);
}

static uint32_t find_move(cpb_transpose_encoder *e, uint32_t from, uint32_t to) {
  const size_t known = e->move_keys.count;
  if (!RESERVE(e, &e->moves, &e->moves_capacity, known + 1)) return CPB_NO_MOVE;
  const uint32_t move = cpb_keys_number(&e->move_keys, &e->allocator, (uint64_t)from << 32 | to);
  if (move == CPB_NO_NUMBER) cpb_transpose_no_memory(e);
  else if (move == known) {
    e->moves[move] = (cpb_transpose_move){.next = e->actions[from].moves, .node = CPB_NO_NODE_INDEX};
    e->actions[from].moves = move;
    e->actions[from].num_moves++;
  }
  return move;
}

static bool grow_sequence(cpb_transpose_encoder *e) {
  if (e->num_sequence >= UINT32_MAX - 1) return cpb_transpose_too_much(e, "transposed: too many fields in a chunk");
  if (!RESERVE(e, &e->sequence, &e->sequence_capacity, e->num_sequence + 1)) return false;
  return true;
}

bool cpb_transpose_seek_action(cpb_transpose_encoder *e, uint32_t field, uint32_t subtype) {
  const uint32_t action = find_action(e, field, subtype);
  if (action == CPB_NO_ACTION) return false;
  if (e->last == CPB_NO_ACTION) {
    e->first = e->last = action;
    return true;
  }
  const uint32_t move = find_move(e, action, e->last);
  if (move == CPB_NO_MOVE || (e->num_sequence == e->sequence_capacity && !grow_sequence(e))) return false;
  e->actions[e->last].guess = action;
  e->actions[e->last].guess_move = move;
  e->last = action;
  e->moves[move].count++;
  e->sequence[e->num_sequence++] = move;
  return true;
}

cpb_transpose_column *cpb_transpose_new_column(cpb_transpose_encoder *e, uint32_t field, cpb_column_kind kind) {
  if (!RESERVE(e, &e->columns, &e->columns_capacity, e->num_columns + 1)) return NULL;
  e->fields[field].column = (uint32_t)e->num_columns;
  e->columns[e->num_columns] = (cpb_transpose_column){.kind = kind, .field = field};
  return &e->columns[e->num_columns++];
}

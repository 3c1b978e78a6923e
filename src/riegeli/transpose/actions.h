/* The sequence of actions that represents the records. In most records the same fields follow each other, so the action
 * that followed last time is tried first. */
#ifndef CPB_RIEGELI_TRANSPOSE_ACTIONS_H
#define CPB_RIEGELI_TRANSPOSE_ACTIONS_H

#include "riegeli/transpose/encoder_state.h"

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

#endif

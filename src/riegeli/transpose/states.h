#ifndef CPB_RIEGELI_TRANSPOSE_STATES_H
#define CPB_RIEGELI_TRANSPOSE_STATES_H

#include "riegeli/transpose/encoder_state.h"

/* Makes the nodes of the state machine, and sets how each move is encoded. */
bool cpb_transpose_make_states(cpb_transpose_encoder *e);

/* Appends the transition bytes of the whole sequence to `out`. */
bool cpb_transpose_put_transitions(cpb_transpose_encoder *e, cpb_buffer *out);

/* Whether no transition byte is read after `action`. Never after the first of the sequence: the machine
 * stops there, which it does only where a byte would be read. */
static inline bool cpb_transpose_is_implicit(const cpb_transpose_encoder *e, uint32_t action) {
  return e->actions[action].num_moves == 1 && action != e->first;
}

#endif

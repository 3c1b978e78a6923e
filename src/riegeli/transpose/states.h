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

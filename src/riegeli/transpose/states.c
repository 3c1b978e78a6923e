/* The state machine, as Riegeli makes it. A transition byte reaches 64 nodes from the base of an
 * action on, so nodes are in lists, the most frequent first; a list of more than 64 is a tree, whose
 * rare branches are reached through idle nodes, as in a Huffman code with 64 symbols.
 *
 * An action has a list of its own (private) of where it often leads, or what only it leads to. All
 * other moves go to the list of all (public); from a private list an idle node leads there. An action
 * may thus have several nodes. */
#include "riegeli/transpose/encoder_state.h"

#include <stdlib.h>

enum {
  REACH = 64,   /* nodes from a base on */
  OFTEN = 10,   /* moves that are worth a node in a private list */
  LONGEST = 24, /* transition bytes for a move: through two trees of counts below 2^32, which grow eightfold a level */
  MOST_REPETITIONS = 3
};

/* --- Lists ------------------------------------------------------------------- */

static int rarest_first(const void *a, const void *b) {
  const cpb_transpose_entry *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  return x->action > y->action ? -1 : x->action < y->action;
}

static bool add_entry(cpb_transpose_encoder *e, cpb_transpose_entry added) {
  if (!CPB_RESERVE(&e->allocator, &e->entries, &e->entries_capacity, e->num_entries + 1))
    return cpb_transpose_no_memory(e);
  e->entries[e->num_entries++] = added;
  return true;
}

static bool add_nodes(cpb_transpose_encoder *e, uint64_t count) {
  uint64_t total = e->num_nodes + count;
  if (total > UINT32_MAX / 2) return cpb_transpose_too_much(e, "transposed: too many nodes in a chunk");
  if (!CPB_RESERVE(&e->allocator, &e->nodes, &e->nodes_capacity, (size_t)total)) return cpb_transpose_no_memory(e);
  for (; e->num_nodes < total; e->num_nodes++)
    e->nodes[e->num_nodes] = (cpb_transpose_node_plan){CPB_NO_ACTION, CPB_NO_NODE_INDEX, CPB_NO_NODE_INDEX};
  return true;
}

/* The node `at` is that of the entry. */
static void place(cpb_transpose_encoder *e, const cpb_transpose_entry *placed, uint32_t at, uint32_t owner) {
  e->nodes[at].action = placed->action;
  if (placed->action == CPB_NO_ACTION) {
    e->nodes[at].base = placed->base;
    if (placed->base == CPB_NO_NODE_INDEX) e->actions[owner].idle = at;
    else
      for (size_t i = placed->base; i < e->num_nodes && i < (size_t)placed->base + REACH; i++) e->nodes[i].source = at;
  } else if (owner != CPB_NO_ACTION) {
    e->moves[placed->move].node = at;
  } else {
    e->actions[placed->action].node = at;
  }
}

/* Makes a list of the entries. It is filled from its end, the rarest first, in blocks of 64 nodes; the first one filled
 * may have fewer. Each block but the last one filled, which begins the list, becomes the entry of an idle node that
 * leads there, with the count of all its nodes. No block has a smaller count than the one before, so these entries are
 * in order as they are added. */
static bool make_list(cpb_transpose_encoder *e, uint32_t owner) {
  const size_t leaves = e->num_entries, idle = leaves <= REACH ? 0 : (leaves - 2) / (REACH - 1);
  if (leaves == 0) return true;
  if (!add_nodes(e, (uint64_t)leaves + idle)) return false;
  if (leaves > 1) qsort(e->entries, leaves, sizeof *e->entries, rarest_first);
  size_t next_leaf = 0, next_idle = leaves, block = (leaves + idle - 1) % REACH + 1;
  uint32_t at = (uint32_t)e->num_nodes;
  for (;;) {
    uint64_t count = 0;
    for (; block > 0; block--) {
      const bool from_idle = next_idle < e->num_entries &&
                             (next_leaf == leaves || e->entries[next_idle].count <= e->entries[next_leaf].count);
      const cpb_transpose_entry *rarest = &e->entries[from_idle ? next_idle++ : next_leaf++];
      count += rarest->count;
      place(e, rarest, --at, owner);
    }
    if (next_leaf == leaves && next_idle == e->num_entries) return true;
    if (!add_entry(e, (cpb_transpose_entry){.count = count, .action = CPB_NO_ACTION, .base = at})) return false;
    block = REACH;
  }
}

/* --- Which moves are private -------------------------------------------------- */

static uint32_t destination(const cpb_transpose_encoder *e, uint32_t move) {
  return (uint32_t)e->move_keys.entries[move].key;
}

static void count_incoming(cpb_transpose_encoder *e) {
  for (size_t i = 0; i < e->move_keys.count; i++) e->actions[destination(e, (uint32_t)i)].incoming += e->moves[i].count;
  /* The machine starts at the last action of the sequence, which therefore needs a node. */
  if (e->actions[e->last].incoming == 0) e->actions[e->last].incoming = 1;
  for (size_t i = 0; i < e->move_keys.count; i++)
    if (e->moves[i].count >= OFTEN) e->actions[destination(e, (uint32_t)i)].incoming -= e->moves[i].count;
}

/* Adds a move to the list of its action if it is frequent, or the only one that still leads there. */
static bool add_if_private(cpb_transpose_encoder *e, uint32_t i, bool *is_private) {
  const cpb_transpose_move *move = &e->moves[i];
  const uint32_t to = destination(e, i);
  uint32_t *incoming = &e->actions[to].incoming;
  *is_private = move->count >= OFTEN || move->count == *incoming;
  if (!*is_private) return true;
  if (move->count < OFTEN) *incoming -= move->count;
  return add_entry(e, (cpb_transpose_entry){.count = move->count, .action = to, .move = i});
}

/* If moves are left for the public list, an idle node leads there; instead of it, a single move gets a
 * node of its own. */
static bool add_way_out(cpb_transpose_encoder *e, uint32_t action, uint64_t left, uint32_t one_left) {
  const size_t others = e->actions[action].num_moves - e->num_entries;
  if (others == 0) return true;
  if (others > 1)
    return add_entry(e, (cpb_transpose_entry){.count = left, .action = CPB_NO_ACTION, .base = CPB_NO_NODE_INDEX});
  const uint32_t to = destination(e, one_left);
  e->actions[to].incoming -= e->moves[one_left].count;
  return add_entry(e, (cpb_transpose_entry){.count = left, .action = to, .move = one_left});
}

static bool make_private_list(cpb_transpose_encoder *e, uint32_t action) {
  uint64_t left = 0;
  uint32_t one_left = CPB_NO_MOVE;
  e->num_entries = 0;
  for (uint32_t i = e->actions[action].moves; i != CPB_NO_MOVE; i = e->moves[i].next) {
    bool is_private;
    if (!add_if_private(e, i, &is_private)) return false;
    if (is_private) continue;
    left += e->moves[i].count;
    one_left = i;
  }
  if (e->num_entries == 0) return true;
  if (!add_way_out(e, action, left, one_left)) return false;
  e->actions[action].base = (uint32_t)e->num_nodes;
  return make_list(e, action);
}

static bool make_public_list(cpb_transpose_encoder *e) {
  e->num_entries = 0;
  for (uint32_t i = 0; i < e->num_actions; i++)
    if (e->actions[i].incoming > 0 &&
        !add_entry(e, (cpb_transpose_entry){.count = e->actions[i].incoming, .action = i}))
      return false;
  return make_list(e, CPB_NO_ACTION);
}

/* --- Bases in the public list -------------------------------------------------- */

static bool reaches(uint32_t base, uint32_t node) { return base <= node && node - base < REACH; }

/* The base from which, by transition bytes, all nodes in the public list are reached where `action` leads:
 * in the smallest branch that has them all, and there the first node that is needed. Idle nodes lead to
 * nodes further on only. */
static uint32_t base_in_public_list(const cpb_transpose_encoder *e, uint32_t public_list, uint32_t action) {
  uint32_t branch = CPB_NO_NODE_INDEX, first = CPB_NO_NODE_INDEX;
  for (uint32_t i = e->actions[action].moves; i != CPB_NO_MOVE; i = e->moves[i].next) {
    if (e->moves[i].node != CPB_NO_NODE_INDEX) continue;
    uint32_t node = e->actions[destination(e, i)].node;
    while (!reaches(branch, node)) {
      if (branch <= node) {
        node = e->nodes[node].source;
        continue;
      }
      uint32_t source;
      if (branch == CPB_NO_NODE_INDEX) {
        source = e->nodes[node].source;
      } else {
        source = e->nodes[branch].source;
        if (source < first) first = source;
        source = e->nodes[source].source;
      }
      branch = source == CPB_NO_NODE_INDEX ? public_list : e->nodes[source].base;
    }
    if (node < first) first = node;
  }
  return first;
}

static void set_bases(cpb_transpose_encoder *e, uint32_t public_list) {
  for (uint32_t i = 0; i < e->num_actions; i++) {
    cpb_transpose_action *action = &e->actions[i];
    if (action->base == CPB_NO_NODE_INDEX) action->base = base_in_public_list(e, public_list, i);
    else if (action->idle != CPB_NO_NODE_INDEX) e->nodes[action->idle].base = base_in_public_list(e, public_list, i);
  }
}

/* --- Transitions ---------------------------------------------------------------- */

/* How far past bases transitions go to lead from one node to another, in reverse. */
typedef struct transition_path {
  uint8_t steps[LONGEST];
  size_t length;
} transition_path;

static void climb(const cpb_transpose_encoder *e, uint32_t base, uint32_t node, transition_path *path) {
  while (!reaches(base, node)) {
    const uint32_t source = e->nodes[node].source;
    path->steps[path->length++] = (uint8_t)(node - e->nodes[source].base);
    node = source;
  }
  path->steps[path->length++] = (uint8_t)(node - base);
}

static void path_of(const cpb_transpose_encoder *e, uint32_t move, transition_path *path) {
  const uint64_t key = e->move_keys.entries[move].key;
  const cpb_transpose_action *from = &e->actions[key >> 32];
  path->length = 0;
  if (e->moves[move].node != CPB_NO_NODE_INDEX) {
    climb(e, from->base, e->moves[move].node, path);
  } else if (from->idle == CPB_NO_NODE_INDEX) {
    climb(e, from->base, e->actions[(uint32_t)key].node, path);
  } else {
    climb(e, e->nodes[from->idle].base, e->actions[(uint32_t)key].node, path);
    climb(e, from->base, from->idle, path);
  }
}

static void set_codes(cpb_transpose_encoder *e) {
  for (uint32_t i = 0; i < e->move_keys.count; i++) {
    transition_path path;
    if (cpb_transpose_is_implicit(e, (uint32_t)(e->move_keys.entries[i].key >> 32))) {
      e->moves[i].code = CPB_CODE_IMPLICIT;
      continue;
    }
    path_of(e, i, &path);
    e->moves[i].code = path.length == 1 ? (uint32_t)path.steps[0] << 2 : CPB_CODE_LONG;
  }
}

/* A transition to the base itself is a repetition of the one before, as far as that can count. */
static inline uint8_t *put_transition(uint8_t *out, const uint8_t *begin, uint8_t byte) {
  if (byte == 0 && out > begin && (out[-1] & MOST_REPETITIONS) < MOST_REPETITIONS) {
    out[-1]++;
    return out;
  }
  *out = byte;
  return out + 1;
}

bool cpb_transpose_put_transitions(cpb_transpose_encoder *e, cpb_buffer *out) {
  const size_t begin = out->size;
  for (size_t left = e->num_sequence, at_once; left > 0; left -= at_once) {
    at_once = cpb_min_size(left, 256);
    if (!cpb_put_reserve(out, at_once * LONGEST, e->error)) return false;
    uint8_t *next = out->data + out->size;
    for (size_t i = 0; i < at_once; i++) {
      const uint32_t move = e->sequence[left - 1 - i], code = e->moves[move].code;
      if (code < CPB_CODE_IMPLICIT) {
        next = put_transition(next, out->data + begin, (uint8_t)code);
      } else if (code == CPB_CODE_LONG) {
        transition_path path;
        for (path_of(e, move, &path); path.length > 0; path.length--)
          next = put_transition(next, out->data + begin, (uint8_t)(path.steps[path.length - 1] << 2));
      }
    }
    out->size = (size_t)(next - out->data);
  }
  return true;
}

bool cpb_transpose_make_states(cpb_transpose_encoder *e) {
  if (e->last == CPB_NO_ACTION) { /* no record: one node, which does nothing */
    if (!add_nodes(e, 1)) return false;
    e->nodes[0].base = 0;
    return true;
  }
  count_incoming(e);
  for (uint32_t i = 0; i < e->num_actions; i++)
    if (!make_private_list(e, i)) return false;
  const uint32_t public_list = (uint32_t)e->num_nodes;
  if (!make_public_list(e)) return false;
  set_bases(e, public_list);
  set_codes(e);
  return true;
}

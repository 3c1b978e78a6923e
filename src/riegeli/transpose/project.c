/* Rehearses the machine: follows the path that it will take, which depends only on the transitions and not on values.
 * The ends and starts of submessages along it give the path of each field.
 *
 * In chunks of all known writers, a node belongs to one path, and so does a buffer. A chunk without this property, or
 * whose records might be malformed, is decoded completely and filtered. */
#include "riegeli/transpose/program.h"

#include "base/checked.h"
#include "riegeli/transpose/format.h"

/* A submessage or a group that was entered, by its end. */
typedef struct around {
  cpb_scope scope; /* that is outside */
  uint32_t group;  /* its number; 0: a submessage */
} around;

enum { MOST_OPEN = 2 * CPB_PROJECTION_DEPTH };

typedef struct rehearsal {
  cpb_transpose_program *program;
  const cpb_projection *projection;
  uint8_t *use; /* of each buffer */
  cpb_scope scope;
  around open[MOST_OPEN];
  size_t num_open, num_groups;
  bool in_record; /* a node has written something of the present one */
  bool filter;
} rehearsal;

/* All functions return false where the chunk is to be decoded whole. */

static bool note_use(rehearsal *h, const cpb_transpose_cursor *buffer, uint8_t use) {
  uint8_t *all = &h->use[buffer - h->program->buffers];
  *all |= use;
  return *all != (CPB_BUFFER_NEEDED | CPB_BUFFER_LEFT_OUT);
}

/* The node is wanted in this scope, or not. */
static bool note(rehearsal *h, cpb_transpose_node *node, cpb_scope scope, bool wanted) {
  if (node->visit > 0 && node->left_out == wanted) return false;
  node->visit = (size_t)scope + 1;
  node->left_out = !wanted;
  node->is_field = node->op == CPB_OP_VALUE || node->op == CPB_OP_STRING;
  return !node->buffer || note_use(h, node->buffer, wanted ? CPB_BUFFER_NEEDED : CPB_BUFFER_LEFT_OUT);
}

static bool was_noted(const cpb_transpose_node *node, cpb_scope scope) { return node->visit == (size_t)scope + 1; }

static uint32_t tag_of(const cpb_transpose_node *node) {
  const uint8_t *end = node->tag + CPB_TRANSPOSE_TAG_ROOM;
  uint64_t tag = 0;
  cpb_varint_read(end - node->tag_size, end, &tag);
  return (uint32_t)tag;
}

static bool enter(rehearsal *h, cpb_transpose_node *node, bool group) {
  const uint32_t number = tag_of(node) >> 3;
  const cpb_scope scope = h->scope, within = cpb_projection_child(h->projection, scope, number);
  if (h->num_open == MOST_OPEN || (group && h->num_groups == CPB_PROJECTION_DEPTH)) return false;
  h->open[h->num_open++] = (around){scope, group ? number : 0};
  h->num_groups += group;
  h->scope = within;
  return was_noted(node, scope) || note(h, node, scope, within != CPB_SCOPE_NONE);
}

static bool leave(rehearsal *h, cpb_transpose_node *node, bool group) {
  const cpb_scope within = h->scope;
  if (h->num_open == 0) return false;
  const around *outside = &h->open[--h->num_open];
  h->num_groups -= group;
  h->scope = outside->scope;
  if (outside->group != (group ? tag_of(node) >> 3 : 0)) return false;
  return was_noted(node, within) || note(h, node, within, within != CPB_SCOPE_NONE);
}

/* A string on the way to fields may have them: they are looked for later. */
static bool pass_field(rehearsal *h, cpb_transpose_node *node) {
  h->in_record = true;
  if (was_noted(node, h->scope)) return true;
  const cpb_scope within = cpb_projection_child(h->projection, h->scope, tag_of(node) >> 3);
  const bool partly = within != CPB_SCOPE_ALL && within != CPB_SCOPE_NONE && node->op == CPB_OP_STRING;
  h->filter |= partly;
  return note(h, node, h->scope, partly || within == CPB_SCOPE_ALL);
}

static bool pass_tag(rehearsal *h, cpb_transpose_node *node) {
  const unsigned wire = node->tag[CPB_TRANSPOSE_TAG_ROOM - node->tag_size] & 7;
  if (wire == CPB_TAG_GROUP_END) {
    h->in_record = true;
    return enter(h, node, true);
  }
  return wire == CPB_TAG_GROUP_START ? leave(h, node, true) : pass_field(h, node);
}

static bool start_record(rehearsal *h) {
  h->in_record = false;
  return h->num_open == 0;
}

/* It may be a message nevertheless, if it is not in canonical form. */
static bool pass_non_proto(rehearsal *h, cpb_transpose_node *node) {
  h->filter = true;
  return !h->in_record && start_record(h) && note(h, node, 0, true) &&
         note_use(h, h->program->record_sizes, CPB_BUFFER_NEEDED);
}

static bool pass(rehearsal *h, cpb_transpose_node *node) {
  switch ((cpb_transpose_op)node->op) {
    case CPB_OP_TAG: return pass_tag(h, node);
    case CPB_OP_VALUE:
    case CPB_OP_STRING: return pass_field(h, node);
    case CPB_OP_SUBMESSAGE_END: h->in_record = true; return enter(h, node, false);
    case CPB_OP_SUBMESSAGE_START: return leave(h, node, false);
    case CPB_OP_RECORD_START: return start_record(h);
    case CPB_OP_NON_PROTO: return pass_non_proto(h, node);
    default: return node->op == CPB_OP_NOTHING;
  }
}

/* The largest number of nodes that the machine can pass: idle ones, and those that write or begin something. */
static uint64_t most_steps(const cpb_transpose_program *p) {
  uint64_t bytes, all;
  if (!cpb_add_u64(p->decoded_size, p->num_records, &bytes) || !cpb_add_u64(bytes, cpb_transpose_plausible(p), &all))
    return UINT64_MAX;
  return all;
}

/* As put_records() in machine.c goes. */
static bool rehearse(rehearsal *h) {
  const cpb_transpose_program *p = h->program;
  cpb_transpose_node *node = p->nodes + (p->first - p->nodes);
  const uint8_t *transition = p->transitions.data, *last = transition + p->transitions.size;
  uint64_t left = most_steps(p);
  unsigned steps = node->implicit;
  for (;;) {
    if (left-- == 0) return false;
    if (node->is_field && was_noted(node, h->scope)) h->in_record = true; /* as most are */
    else if (!pass(h, node)) return false;
    node = node->next;
    if (steps > 0) {
      steps -= !node->implicit;
      continue;
    }
    if (transition == last) return h->num_open == 0;
    node += *transition >> 2;
    steps = (*transition++ & 3u) + node->implicit;
  }
}

/* Most nodes that are left out follow each other without transitions: the machine need not pass them all. */
static void shorten(cpb_transpose_node *node) {
  enum { MOST_HOPS = 64 }; /* so that the work is linear */
  for (size_t hops = 0; hops < MOST_HOPS && node->implicit; hops++) {
    const cpb_transpose_node *next = node->next;
    if (next->op != CPB_OP_LEFT_OUT || !next->implicit) return;
    node->next = next->next;
  }
}

bool cpb_transpose_project(cpb_transpose_program *p, const cpb_projection *projection, const uint8_t **use,
                           bool *filter) {
  rehearsal h = {.program = p, .projection = projection};
  h.use = cpb_transpose_table(p, CPB_TRANSPOSE_USE_TABLE, p->num_buffers, 1);
  if (!h.use) return false;
  for (size_t i = 0; i < p->num_nodes; i++) p->nodes[i].visit = 0;
  p->projected = rehearse(&h);
  *use = p->projected ? h.use : NULL;
  *filter = !p->projected || h.filter;
  if (!p->projected) return true;
  for (size_t i = 0; i < p->num_nodes; i++)
    if (p->nodes[i].left_out) p->nodes[i].op = CPB_OP_LEFT_OUT;
  for (size_t i = 0; i < p->num_nodes; i++) shorten(&p->nodes[i]);
  return true;
}

#include "riegeli/transpose/program.h"

#include "base/status.h"

/* Ids in the header in place of a tag, for nodes that are not fields. */
enum { ID_NOTHING = 0, ID_NON_PROTO = 1, ID_SUBMESSAGE_START = 2, ID_RECORD_START = 3, MIN_TAG = 8 };

enum {
  WIRE_VARINT,
  WIRE_FIXED64,
  WIRE_LENGTH,
  WIRE_GROUP_START,
  WIRE_GROUP_END,
  WIRE_FIXED32,
  WIRE_SUBMESSAGE_END /* not a wire type of protobuf */
};

/* The subtype of a varint field: below SUBTYPE_INLINE its length - 1, otherwise its value. */
enum { SUBTYPE_INLINE = 10, SUBTYPE_MAX = SUBTYPE_INLINE + 127 };

static void set_tag(cpb_transpose_node *node, uint32_t tag) {
  uint8_t bytes[CPB_VARINT_MAX];
  node->tag_size = (uint8_t)(cpb_varint_write(bytes, tag) - bytes);
  memcpy(node->tag + CPB_TRANSPOSE_TAG_ROOM - node->tag_size, bytes, node->tag_size);
}

static void append_to_tag(cpb_transpose_node *node, uint8_t byte) {
  memmove(node->tag, node->tag + 1, CPB_TRANSPOSE_TAG_ROOM - 1);
  node->tag[CPB_TRANSPOSE_TAG_ROOM - 1] = byte;
  node->tag_size++;
}

static bool describe_field(cpb_transpose_node *node, uint32_t tag) {
  static const struct {
    uint8_t op, value_size;
  } fields[8] = {
      [WIRE_VARINT] = {CPB_OP_VALUE, 0}, /* until its subtype is known */
      [WIRE_FIXED64] = {CPB_OP_VALUE, 8},
      [WIRE_LENGTH] = {CPB_OP_STRING, 0},
      [WIRE_GROUP_START] = {CPB_OP_TAG, 0},
      [WIRE_GROUP_END] = {CPB_OP_TAG, 0},
      [WIRE_FIXED32] = {CPB_OP_VALUE, 4},
      [WIRE_SUBMESSAGE_END] = {CPB_OP_SUBMESSAGE_END, 0},
      [7] = {CPB_OP_NOWHERE, 0},
  };
  unsigned wire = tag & 7;
  node->op = fields[wire].op;
  node->value_size = fields[wire].value_size;
  node->varint = wire == WIRE_VARINT;
  set_tag(node, wire == WIRE_SUBMESSAGE_END ? tag - WIRE_SUBMESSAGE_END + WIRE_LENGTH : tag);
  return node->op != CPB_OP_NOWHERE;
}

static bool describe(cpb_transpose_node *node, uint32_t tag) {
  switch (tag) {
    case ID_NOTHING: node->op = CPB_OP_NOTHING; return true;
    case ID_NON_PROTO: node->op = CPB_OP_NON_PROTO; return true;
    case ID_SUBMESSAGE_START: node->op = CPB_OP_SUBMESSAGE_START; return true;
    case ID_RECORD_START: node->op = CPB_OP_RECORD_START; return true;
    default: return tag >= MIN_TAG && describe_field(node, tag);
  }
}

static bool read_tags(cpb_transpose_program *p, cpb_transpose_cursor *header, size_t *num_subtypes) {
  *num_subtypes = 0;
  for (size_t i = 0; i < p->num_nodes; i++) {
    uint32_t tag;
    if (!cpb_transpose_cursor_read_u32(header, &tag)) return cpb_transpose_damaged(p, "a node's tag is missing");
    if (!describe(&p->nodes[i], tag)) return cpb_transpose_damaged(p, "a node's tag is invalid");
    *num_subtypes += p->nodes[i].varint;
  }
  return true;
}

/* The index of the next node, plus num_nodes if it is reached without a transition. */
static bool read_next(cpb_transpose_program *p, cpb_transpose_cursor *header) {
  for (size_t i = 0; i < p->num_nodes; i++) {
    uint32_t next;
    if (!cpb_transpose_cursor_read_u32(header, &next)) return cpb_transpose_damaged(p, "a node's next node is missing");
    bool implicit = next >= p->num_nodes;
    size_t index = implicit ? next - p->num_nodes : next;
    if (index >= p->num_nodes) return cpb_transpose_damaged(p, "a node's next node does not exist");
    p->nodes[i].next = &p->nodes[index];
    p->nodes[i].implicit = implicit;
  }
  return true;
}

static bool apply_subtype(cpb_transpose_node *node, uint8_t subtype) {
  if (subtype < SUBTYPE_INLINE) {
    node->value_size = (uint8_t)(subtype + 1);
    return true;
  }
  node->op = CPB_OP_TAG;
  append_to_tag(node, (uint8_t)(subtype - SUBTYPE_INLINE));
  return subtype <= SUBTYPE_MAX;
}

static bool read_buffer(cpb_transpose_program *p, cpb_transpose_cursor *header, cpb_transpose_node *node) {
  uint32_t index;
  if (!cpb_transpose_cursor_read_u32(header, &index)) return cpb_transpose_damaged(p, "a node's buffer is missing");
  if (index >= p->num_buffers) return cpb_transpose_damaged(p, "a node's buffer does not exist");
  node->buffer = &p->buffers[index];
  if (node->op == CPB_OP_NON_PROTO) p->record_sizes = &p->buffers[p->num_buffers - 1];
  return true;
}

static bool read_values(cpb_transpose_program *p, cpb_transpose_cursor *header, size_t num_subtypes) {
  if (num_subtypes > (size_t)(header->end - header->next))
    return cpb_transpose_damaged(p, "a varint field's subtype is missing");
  const uint8_t *subtype = header->next;
  header->next += num_subtypes;
  for (size_t i = 0; i < p->num_nodes; i++) {
    cpb_transpose_node *node = &p->nodes[i];
    if (node->varint && !apply_subtype(node, *subtype++))
      return cpb_transpose_damaged(p, "a varint field's subtype is invalid");
    bool has_buffer = node->op == CPB_OP_VALUE || node->op == CPB_OP_STRING || node->op == CPB_OP_NON_PROTO;
    if (has_buffer && !read_buffer(p, header, node)) return false;
  }
  return true;
}

/* Whether implicit nodes form a loop, which would never end. Each node is visited once: a walk ends where an earlier
 * one has been. */
static bool has_implicit_loop(cpb_transpose_program *p) {
  for (size_t i = 0; i < p->num_nodes; i++) {
    const size_t walk = i + 1;
    cpb_transpose_node *node = &p->nodes[i];
    for (; node->implicit && node->visit == 0; node = node->next) node->visit = walk;
    if (node->visit == walk) return true;
  }
  return false;
}

bool cpb_transpose_parse_nodes(cpb_transpose_program *p, cpb_transpose_cursor *header) {
  uint32_t num_nodes, first;
  size_t num_subtypes;
  if (!cpb_transpose_cursor_read_u32(header, &num_nodes))
    return cpb_transpose_damaged(p, "the number of nodes is missing");
  if (num_nodes > (size_t)(header->end - header->next) / 2)
    return cpb_transpose_damaged(p, "the header is too short for its nodes");
  p->num_nodes = num_nodes;
  p->nodes = cpb_transpose_table(p, CPB_TRANSPOSE_NODE_TABLE, p->num_nodes + CPB_TRANSPOSE_REACH, sizeof *p->nodes);
  if (!p->nodes) return false;
  for (size_t i = 0; i < CPB_TRANSPOSE_REACH; i++) p->nodes[num_nodes + i].op = CPB_OP_NOWHERE;

  if (!read_tags(p, header, &num_subtypes) || !read_next(p, header) || !read_values(p, header, num_subtypes))
    return false;
  if (!cpb_transpose_cursor_read_u32(header, &first) || first >= num_nodes)
    return cpb_transpose_damaged(p, "the first node is missing or does not exist");
  p->first = &p->nodes[first];
  return !has_implicit_loop(p) || cpb_transpose_damaged(p, "nodes form an endless loop");
}

#include "chunked/index/metadata.h"

#include <string.h>

void cpb_metadata_init(cpb_metadata *m, const cpb_allocator *a) {
  memset(m, 0, sizeof *m);
  m->allocator = *a;
  cpb_buffer_init(&m->text, a);
}

void cpb_metadata_free(cpb_metadata *m) {
  const cpb_allocator a = m->allocator;
  cpb_release(&a, m->bad_consumers);
  cpb_release(&a, m->chunks);
  cpb_release(&a, m->nodes);
  cpb_release(&a, m->tags);
  cpb_buffer_free(&m->text);
  cpb_metadata_init(m, &a);
}

bool cpb_metadata_add_chunk(cpb_metadata *m, cpb_chunk_entry chunk) {
  void *chunks = m->chunks;
  if (!cpb_reserve_closely(&m->allocator, &chunks, &m->chunks_capacity, m->num_chunks + 1, sizeof chunk)) return false;
  m->chunks = chunks;
  m->chunks[m->num_chunks++] = chunk;
  return true;
}

static void link_to_parent(cpb_metadata *m, uint32_t node) {
  cpb_chunked_node *parent = &m->nodes[m->nodes[node].parent];
  if (parent->last_child == CPB_NO_NODE) {
    parent->first_child = node;
  } else {
    m->nodes[parent->last_child].next = node;
  }
  parent->last_child = node;
}

uint32_t cpb_metadata_add_node(cpb_metadata *m, uint32_t parent, uint64_t chunk) {
  void *nodes = m->nodes;
  if (m->num_nodes >= CPB_NO_NODE || m->num_tags > UINT32_MAX ||
      !cpb_reserve_closely(&m->allocator, &nodes, &m->nodes_capacity, m->num_nodes + 1, sizeof *m->nodes)) {
    return CPB_NO_NODE;
  }
  m->nodes = nodes;
  uint32_t node = (uint32_t)m->num_nodes++;
  m->nodes[node] = (cpb_chunked_node){
      .chunk = chunk,
      .first_tag = (uint32_t)m->num_tags,
      .parent = parent,
      .first_child = CPB_NO_NODE,
      .last_child = CPB_NO_NODE,
      .next = CPB_NO_NODE,
      .has_message = true,
  };
  if (parent != CPB_NO_NODE) link_to_parent(m, node);
  return node;
}

/* Tags of a node are neighbours. If others have come after them, they move to the end, with as much room
 * again: also where nodes get their tags in turns, this takes linear time. */
static bool make_room_for_tag(cpb_metadata *m, cpb_chunked_node *node) {
  bool is_last = (size_t)node->first_tag + node->num_tags == m->num_tags;
  size_t moved = is_last ? 0 : node->num_tags, count = m->num_tags + 2 * moved + 1;
  void *tags = m->tags;
  if (count > UINT32_MAX || !cpb_reserve_closely(&m->allocator, &tags, &m->tags_capacity, count, sizeof *m->tags)) {
    return false;
  }
  m->tags = tags;
  memcpy(m->tags + m->num_tags, m->tags + node->first_tag, moved * sizeof *m->tags);
  node->first_tag = (uint32_t)(m->num_tags + moved) - node->num_tags;
  node->spare_tags = (uint32_t)moved + 1;
  m->num_tags = count;
  return true;
}

bool cpb_metadata_add_tag(cpb_metadata *m, uint32_t node, cpb_tag tag) {
  cpb_chunked_node *n = &m->nodes[node];
  if (n->spare_tags == 0 && !make_room_for_tag(m, n)) return false;
  n->spare_tags--;
  m->tags[n->first_tag + n->num_tags++] = tag;
  return true;
}

bool cpb_metadata_add_string_key(cpb_metadata *m, uint32_t node, cpb_span key) {
  cpb_tag tag = {m->text.size, (uint32_t)key.size, CPB_TAG_KEY_STRING};
  return key.size <= UINT32_MAX && cpb_buffer_append(&m->text, key.data, key.size) &&
         cpb_metadata_add_tag(m, node, tag);
}

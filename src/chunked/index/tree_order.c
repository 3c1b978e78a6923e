#include "chunked/index/tree_order.h"

#include <string.h>

#include "base/checked.h"

/* --- Comparing ----------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_keys(cpb_span a, cpb_span b) {
  const size_t length = cpb_min_size(a.size, b.size);
  const int order = length > 0 ? memcmp(a.data, b.data, length) : 0;
  return order != 0 ? order : compare_u64(a.size, b.size);
}

static cpb_tag tag_at(cpb_tags t, size_t i) {
  return t.metadata ? cpb_metadata_tag(t.metadata, t.first + i) : t.tags[t.first + i];
}

static cpb_span key_of(cpb_tag tag, const uint8_t *text) {
  return (cpb_span){tag.length > 0 ? text + tag.value : NULL, tag.length};
}

static cpb_tag_kind rank(cpb_tag_kind kind) { return kind < CPB_TAG_KEY_BOOL ? kind : CPB_TAG_KEY_BOOL; }

static int compare_tag(cpb_tags a, cpb_tags b, size_t i) {
  const cpb_tag x = tag_at(a, i), y = tag_at(b, i);
  if (rank(x.kind) != rank(y.kind)) return rank(x.kind) < rank(y.kind) ? -1 : 1;
  if (x.kind == CPB_TAG_KEY_STRING) return compare_keys(key_of(x, a.text), key_of(y, b.text));
  return compare_u64(x.value, y.value);
}

int cpb_tags_compare(cpb_tags a, cpb_tags b) {
  for (size_t i = 0; i < a.count && i < b.count; i++) {
    const int order = compare_tag(a, b, i);
    if (order != 0) return order;
  }
  return compare_u64(a.count, b.count);
}

bool cpb_tags_lead(cpb_tags a, cpb_tags b) {
  if (a.count > b.count) return false;
  b.count = a.count;
  return cpb_tags_compare(a, b) == 0;
}

int cpb_node_compare(const cpb_metadata *m, uint32_t a, uint32_t b) {
  const cpb_column *chunks = &m->nodes.chunk;
  const int order = cpb_tags_compare(cpb_node_tags(m, a), cpb_node_tags(m, b));
  if (order != 0) return order;
  return compare_u64(cpb_max_u64(cpb_column_get(chunks, a), 1), cpb_max_u64(cpb_column_get(chunks, b), 1));
}

cpb_tags cpb_node_tags(const cpb_metadata *m, uint32_t node) {
  return (cpb_tags){.metadata = m,
                    .text = m->text.data,
                    .first = (size_t)cpb_column_get(&m->nodes.first_tag, node),
                    .count = (size_t)cpb_column_get(&m->nodes.num_tags, node)};
}

/* --- The order of a tree -------------------------------------------------------- */

void cpb_tree_order_init(cpb_tree_order *o, const cpb_allocator *a, const cpb_metadata *m) {
  *o = (cpb_tree_order){.metadata = m, .allocator = *a};
}

void cpb_tree_order_free(cpb_tree_order *o) {
  cpb_release(&o->allocator, o->open);
  o->open = NULL;
  o->depth = o->capacity = 0;
}

/* Whether all of `a`, a node with everything below it, comes before its next sibling. */
static bool precedes(const cpb_tree_order *o, uint32_t a, bool has_children, uint32_t b) {
  const cpb_tags x = cpb_node_tags(o->metadata, a), y = cpb_node_tags(o->metadata, b);
  return cpb_node_compare(o->metadata, a, b) <= 0 && !(has_children && cpb_tags_lead(x, y));
}

bool cpb_tree_order_add(cpb_tree_order *o, uint32_t node) {
  const uint32_t parent = cpb_metadata_parent(o->metadata, node);
  const size_t was = o->depth;
  if (!CPB_RESERVE(&o->allocator, &o->open, &o->capacity, o->depth + 1)) return false;
  while (o->depth > 0 && o->open[o->depth - 1] != parent) o->depth--;
  if (o->depth < was && !precedes(o, o->open[o->depth], o->depth + 1 < was, node)) o->broken = true;
  o->open[o->depth++] = node;
  return true;
}

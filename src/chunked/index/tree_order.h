/* Paths of fields, their order, and whether a tree is in that order. */
#ifndef CPB_CHUNKED_INDEX_TREE_ORDER_H
#define CPB_CHUNKED_INDEX_TREE_ORDER_H

#include "chunked/index/metadata.h"

/* --- Paths ------------------------------------------------------------------ */

/* Tags, and the text of their keys: in a list, or a metadata's from `first` on. */
typedef struct cpb_tags {
  const cpb_tag *tags; /* or NULL: */
  const cpb_metadata *metadata;
  const uint8_t *text;
  size_t first, count;
} cpb_tags;

static inline cpb_tags cpb_index_page_path(const cpb_page_list *p, size_t i) {
  return (cpb_tags){
      .tags = p->tags, .text = p->text.data, .first = p->items[i].first_tag, .count = p->items[i].num_tags};
}

/* The tags of a node, relative to its parent. */
cpb_tags cpb_node_tags(const cpb_metadata *m, uint32_t node);

/* Negative, 0 or positive. A path sorts before longer paths that begin with it. Keys that are numbers are of one
 * kind. */
int cpb_tags_compare(cpb_tags a, cpb_tags b);

/* The order of siblings in a merge: by their tags, and then by their chunks, where a missing one counts as chunk 0. */
int cpb_node_compare(const cpb_metadata *m, uint32_t a, uint32_t b);

/* Whether `b` begins with `a`. */
bool cpb_tags_lead(cpb_tags a, cpb_tags b);

/* --- The order of a tree ------------------------------------------------------ */

/* Checks whether nodes are added in the order of their paths from the root. Each is added after its parent and after
 * the nodes below its earlier siblings. Also tracks the nodes that contain the last one. */
typedef struct cpb_tree_order {
  const cpb_metadata *metadata;
  cpb_allocator allocator;
  uint32_t *open; /* from the root to the last node added */
  size_t depth, capacity;
  bool broken;
} cpb_tree_order;

void cpb_tree_order_init(cpb_tree_order *o, const cpb_allocator *a, const cpb_metadata *m);
void cpb_tree_order_free(cpb_tree_order *o);

/* False when memory is short. */
bool cpb_tree_order_add(cpb_tree_order *o, uint32_t node);

#endif

#include "base/ordered.h"

#include <stdbool.h>
#include <stddef.h>

/* A node of level l has at least 2^l - 1 nodes below it, and on the way down at most two nodes have the same level: so
 * with fewer than 2^32 nodes no path is longer. */
enum { DEPTH_MAX = 64 };

static cpb_ordered_links *links(cpb_ordered nodes, uint32_t i) {
  return (cpb_ordered_links *)((char *)nodes.first + (size_t)i * nodes.stride);
}

static uint32_t level(cpb_ordered nodes, uint32_t i) { return i == CPB_ORDERED_NONE ? 0 : links(nodes, i)->level; }

uint32_t cpb_ordered_find(cpb_ordered nodes, uint32_t root, cpb_ordered_compare *compare, const void *key) {
  while (root != CPB_ORDERED_NONE) {
    int order = compare(key, root);
    if (order == 0) break;
    root = order < 0 ? links(nodes, root)->left : links(nodes, root)->right;
  }
  return root;
}

uint32_t cpb_ordered_from(cpb_ordered nodes, uint32_t root, cpb_ordered_compare *compare, const void *key) {
  uint32_t found = CPB_ORDERED_NONE;
  while (root != CPB_ORDERED_NONE) {
    int order = compare(key, root);
    if (order <= 0) found = root;
    if (order == 0) break;
    root = order < 0 ? links(nodes, root)->left : links(nodes, root)->right;
  }
  return found;
}

/* A left child of the same level becomes the parent. */
static uint32_t skew(cpb_ordered nodes, uint32_t i) {
  cpb_ordered_links *top = links(nodes, i);
  uint32_t left = top->left;
  if (level(nodes, left) != top->level) return i;
  top->left = links(nodes, left)->right;
  links(nodes, left)->right = i;
  return left;
}

/* If three nodes of one level are in a row to the right, the middle one becomes their parent, a level higher. */
static uint32_t split(cpb_ordered nodes, uint32_t i) {
  cpb_ordered_links *top = links(nodes, i);
  uint32_t right = top->right;
  if (right == CPB_ORDERED_NONE || level(nodes, links(nodes, right)->right) != top->level) return i;
  cpb_ordered_links *middle = links(nodes, right);
  top->right = middle->left;
  middle->left = i;
  middle->level++;
  return right;
}

uint32_t cpb_ordered_add(cpb_ordered nodes, uint32_t root, uint32_t added, cpb_ordered_compare *compare,
                         const void *key) {
  uint32_t way[DEPTH_MAX];
  bool went_left[DEPTH_MAX];
  size_t depth = 0;
  for (uint32_t at = root; at != CPB_ORDERED_NONE && depth < DEPTH_MAX; depth++) {
    way[depth] = at;
    went_left[depth] = compare(key, at) < 0;
    at = went_left[depth] ? links(nodes, at)->left : links(nodes, at)->right;
  }
  *links(nodes, added) = (cpb_ordered_links){CPB_ORDERED_NONE, CPB_ORDERED_NONE, 1};
  uint32_t below = added;
  for (unsigned unchanged = 0; depth > 0 && unchanged < 2;) { /* split() looks two nodes down, and no further */
    uint32_t at = way[--depth], level_before = level(nodes, at);
    if (went_left[depth]) links(nodes, at)->left = below;
    else links(nodes, at)->right = below;
    below = split(nodes, skew(nodes, at));
    unchanged = below == at && level(nodes, at) == level_before ? unchanged + 1 : 0;
  }
  return depth > 0 ? way[0] : below;
}

/* A balanced search tree over nodes in an array: finding and adding take at most 2 log2(n) comparisons, in whatever
 * order an input gives its keys. It is used instead of hash tables, where an input could choose colliding keys.
 *
 * An AA tree (Arne Andersson, "Balanced search trees made simple", WADS 1993): a red-black tree whose red nodes are
 * right children only. */
#ifndef CPB_BASE_ORDERED_H
#define CPB_BASE_ORDERED_H

#include <stdint.h>

#define CPB_ORDERED_NONE UINT32_MAX

/* Part of each node. */
typedef struct cpb_ordered_links {
  uint32_t left, right; /* nodes, or CPB_ORDERED_NONE */
  uint32_t level;       /* 1 for a leaf */
} cpb_ordered_links;

/* The array of nodes: the links of node i are at `first` + i * `stride` bytes. */
typedef struct cpb_ordered {
  void *first;
  uint64_t stride;
} cpb_ordered;

/* Compares the key that is sought with node i's: negative, 0, or positive. */
typedef int cpb_ordered_compare(const void *key, uint32_t i);

/* The node with that key in the tree that has its root at `root`, or CPB_ORDERED_NONE. */
uint32_t cpb_ordered_find(cpb_ordered nodes, uint32_t root, cpb_ordered_compare *compare, const void *key);

/* The first node whose key is not before that one, or CPB_ORDERED_NONE. */
uint32_t cpb_ordered_from(cpb_ordered nodes, uint32_t root, cpb_ordered_compare *compare, const void *key);

/* Adds node `added`, whose key is `key`, which no other node has. Returns the new root. */
uint32_t cpb_ordered_add(cpb_ordered nodes, uint32_t root, uint32_t added, cpb_ordered_compare *compare,
                         const void *key);

#endif

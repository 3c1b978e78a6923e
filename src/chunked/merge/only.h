/* A plan for one field: chunked fields off the path to it are not planned. plan_for.c explains why this is
 * sufficient. */
#ifndef CPB_CHUNKED_MERGE_ONLY_H
#define CPB_CHUNKED_MERGE_ONLY_H

#include "chunked/merge/targets.h"

#define CPB_ON_BESIDE (UINT32_MAX - 1) /* off the path */
#define CPB_ON_ALL UINT32_MAX          /* perhaps on it: everything below is planned */

typedef struct cpb_only_tag {
  cpb_tag_kind kind; /* FIELD, INDEX or KEY_STRING */
  uint64_t value;
  cpb_span text;
} cpb_only_tag;

/* Represents all chunked fields that leave the path at one tag. */
typedef struct cpb_only_beside {
  uint32_t node;   /* or CPB_NO_NODE */
  uint64_t before; /* elements that must exist already */
} cpb_only_beside;

/* Functions of plan_for.c are called through pointers, so that modules which do not use them do not link them. */
struct cpb_merge_only {
  cpb_only_tag *tags; /* of the path */
  cpb_only_beside *beside;
  uint32_t count;
  uint32_t left_at; /* the tag at which the path was last left */
  /* Follows a tag from `base`; `*on` is the number of the path's tags that were followed. */
  void (*follow)(struct cpb_merge_only *only, const cpb_merge_tree *tree, uint32_t base, cpb_tag tag, uint32_t *on,
                 uint64_t *before);
  /* Whether the node, a child of the message at `base`, is wanted. False with the error set. */
  bool (*choose)(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t on, bool *wanted);
};

#endif

/* A plan for one field: what is chunked beside the way to it is not planned. plan_for.c says why that is enough. */
#ifndef CPB_CHUNKED_MERGE_ONLY_H
#define CPB_CHUNKED_MERGE_ONLY_H

#include "chunked/merge/targets.h"

#define CPB_ON_BESIDE (UINT32_MAX - 1) /* off the way */
#define CPB_ON_ALL UINT32_MAX          /* perhaps on it: all that is below is planned */

typedef struct cpb_only_tag {
  cpb_tag_kind kind; /* FIELD, INDEX or KEY_STRING */
  uint64_t value;
  cpb_span text;
} cpb_only_tag;

/* Of the chunked fields that leave the way at one tag: the one that stands for all of them. */
typedef struct cpb_only_beside {
  uint32_t node;   /* or CPB_NO_NODE */
  uint64_t before; /* elements that must be there already */
} cpb_only_beside;

/* Functions of plan_for.c are called through pointers, so that modules which do not use them are without. */
struct cpb_merge_only {
  cpb_only_tag *tags; /* of the way */
  cpb_only_beside *beside;
  uint32_t count;
  uint32_t left_at; /* the tag at which the way was left last */
  /* Follows a tag from `base`, when `*on` tags of the way were followed. */
  void (*follow)(struct cpb_merge_only *only, const cpb_merge_tree *tree, uint32_t base, cpb_tag tag, uint32_t *on,
                 uint64_t *before);
  /* Whether the node, a child of what is at `base`, is wanted. False with the error set. */
  bool (*choose)(cpb_merge_tree *tree, uint32_t node, uint32_t base, uint32_t on, bool *wanted);
};

#endif

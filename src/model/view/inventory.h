/* All tensors of a model, each with its use and the node that takes it. This is the only place that decides which
 * tensors count. */
#ifndef CPB_MODEL_VIEW_INVENTORY_H
#define CPB_MODEL_VIEW_INVENTORY_H

#include "model/view/view.h"

#define CPB_NO_NODE UINT64_MAX

typedef struct cpb_view_item {
  cpb_view_tensor tensor;
  cpb_view_measure measure;
  uint64_t node;  /* the number of the first node that takes it, or of the node that it belongs to, or CPB_NO_NODE */
  uint32_t graph; /* of that node */
  cpb_tensor_use use;
  bool is_copy; /* its values are those of an earlier tensor, at the same place of a file */
} cpb_view_item;

typedef struct cpb_inventory {
  cpb_allocator allocator;
  cpb_view_item *items;
  size_t count, capacity;
} cpb_inventory;

/* False with the error set; free `inventory` then as well. */
bool cpb_inventory_build(cpb_inventory *inventory, const cpb_allocator *a, const cpb_view *view, cpb_meter *meter,
                         cpb_error *error);
void cpb_inventory_free(cpb_inventory *inventory);

/* Whether it counts as parameters. */
static inline bool cpb_view_item_counts(const cpb_view_item *item) {
  return item->use == CPB_TENSOR_WEIGHT && !item->is_copy && !item->measure.is_absent;
}

#endif

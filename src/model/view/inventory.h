/* All tensors of a model, each with its use and the node that takes it. This is the only place that decides which
 * tensors count. */
#ifndef CPB_MODEL_VIEW_INVENTORY_H
#define CPB_MODEL_VIEW_INVENTORY_H

#include "model/common/lists.h"
#include "model/view/view.h"

/* --- makers ----------------------------------------------------------------------------------- */

/* The nodes of a graph by number, and by the values that they make, or by their own names if values have none. */

typedef struct cpb_view_makers {
  cpb_allocator allocator;
  const cpb_view *view;
  cpb_view_node *items; /* with texts that remain valid */
  size_t count;
  char (*labels)[CPB_VIEW_SPARE], (*ops)[CPB_VIEW_SPARE]; /* for nodes whose texts are not in the model; else NULL */
  cpb_names names;                                        /* numbers of nodes */
} cpb_view_makers;

/* False if memory is short; free `makers` then as well. */
bool cpb_view_makers_build(cpb_view_makers *makers, const cpb_allocator *a, const cpb_view *view, uint32_t graph);
/* The nodes only. */
bool cpb_view_makers_list(cpb_view_makers *makers, const cpb_allocator *a, const cpb_view *view, uint32_t graph);
void cpb_view_makers_free(cpb_view_makers *makers);

/* Describes the output of the node with this name: its number, and whether anything is known about it. */
bool cpb_view_output(const cpb_view *view, uint32_t graph, const cpb_view_node *maker, cpb_span name,
                     cpb_view_source *source, cpb_view_value *value);

/* The node that makes the value, or NULL. */
const cpb_view_node *cpb_view_maker_of(const cpb_view_makers *makers, cpb_span value);

/* --- inventory -------------------------------------------------------------------------------- */

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

/* The nodes of a graph by number, and by the values that they make, or by their own names if values have none. */
#ifndef CPB_MODEL_VIEW_MAKERS_H
#define CPB_MODEL_VIEW_MAKERS_H

#include "model/common/names.h"
#include "model/view/view.h"

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

#endif

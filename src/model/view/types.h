/* The types of a graph's values by name, for kinds whose nodes do not give them: of its inputs, outputs and others. */
#ifndef CPB_MODEL_VIEW_TYPES_H
#define CPB_MODEL_VIEW_TYPES_H

#include "model/common/names.h"
#include "model/view/view.h"

typedef struct cpb_view_types {
  cpb_allocator allocator;
  cpb_view_value *items;
  size_t count, capacity;
  cpb_names names; /* numbers: indices of `items` */
} cpb_view_types;

/* False if memory is short; free `types` then as well. */
bool cpb_view_types_build(cpb_view_types *types, const cpb_allocator *a, const cpb_view *view, uint32_t graph);
void cpb_view_types_free(cpb_view_types *types);

/* Writes "name" if it has one, and the members of its type if that is known. `types` may be NULL. */
void cpb_view_write_named(cpb_json_writer *answer, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value);
/* Writes an object with these members. */
void cpb_view_write_value(cpb_json_writer *answer, const cpb_view *view, const cpb_view_types *types,
                          const cpb_view_value *value);

#endif

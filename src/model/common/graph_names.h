/* The graphs of a model by their names.
 *
 * The name of a graph within another is that one's name, a "/" and its own. Names of nested graphs together may be many
 * times as long as the model, so they are made when they are needed; to find one, a hash of each is kept. */
#ifndef CPB_MODEL_COMMON_GRAPH_NAMES_H
#define CPB_MODEL_COMMON_GRAPH_NAMES_H

#include "base/meter.h"

#define CPB_NO_GRAPH UINT32_MAX

/* A kind's graphs. Number 0 is the model's own, whose name is empty. */
typedef struct cpb_named_graphs {
  const void *graphs;
  uint32_t count;
  uint32_t (*around)(const void *graphs, uint32_t graph); /* which it lies in, a smaller number; or 0 */
  bool (*put_own_name)(const void *graphs, uint32_t graph, cpb_buffer *out); /* false when memory is short */
} cpb_named_graphs;

/* Appends the name. False when memory is short. */
bool cpb_graph_name(const cpb_named_graphs *of, uint32_t graph, cpb_buffer *out);

typedef struct cpb_graph_hash {
  uint64_t hash; /* of its name */
  uint32_t graph;
} cpb_graph_hash;

typedef struct cpb_graph_names {
  cpb_allocator allocator;
  cpb_graph_hash *items; /* in the order of the hashes; NULL until the first search */
  size_t count;
} cpb_graph_names;

void cpb_graph_names_init(cpb_graph_names *names, const cpb_allocator *a);
void cpb_graph_names_free(cpb_graph_names *names); /* empties it */

/* The first graph of that name but number 0, or CPB_NO_GRAPH. False with the error set. */
bool cpb_graph_names_find(cpb_graph_names *names, const cpb_named_graphs *of, cpb_span name, cpb_meter *meter,
                          uint32_t *graph, cpb_error *error);

#endif

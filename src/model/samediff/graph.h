/* A graph file: an index of its variables and operations, made in one pass that
 * checks them; their details are read again when they are asked for. */
#ifndef CPB_MODEL_SAMEDIFF_GRAPH_H
#define CPB_MODEL_SAMEDIFF_GRAPH_H

#include "base/alloc.h"
#include "base/input.h"
#include "model/common/names.h"
#include "model/common/parameters.h"
#include "model/formats/flatbuffers/flatbuffers.h"
#include "model/samediff/array.h"

typedef struct cpb_sd_text {
  size_t at, size; /* in the graph's names */
} cpb_sd_text;

typedef struct cpb_sd_variable {
  uint64_t table;
  cpb_sd_text name;
  int32_t id[2];     /* of the operation that makes it and which output, or a number of its own and 0 */
  uint64_t array;    /* the table of its array; 0: none */
  uint64_t bytes;    /* of the array's values */
  uint64_t elements; /* of one that has values here or in another file: the array's, or by the shape */
  bool has_elements;
  const cpb_sd_dtype *dtype;
  uint8_t kind; /* KIND_... */
  bool used;    /* some operation takes it */
} cpb_sd_variable;

typedef struct cpb_sd_id {
  uint64_t key;
  uint32_t variable;
} cpb_sd_id;

typedef struct cpb_sd_node {
  uint64_t table;
  cpb_sd_text name, op;
  int32_t id;
} cpb_sd_node;

typedef struct cpb_sd_graph {
  cpb_allocator allocator;
  cpb_error *error;
  uint64_t max_memory;
  cpb_flat flat;
  bool opened, ready;
  cpb_flat_table root;
  cpb_flat_vector variable_tables, node_tables;
  cpb_sd_variable *variables;
  size_t num_variables, variables_capacity;
  cpb_sd_node *nodes;
  size_t num_nodes, nodes_capacity;
  cpb_sd_id *ids;    /* of the variables, in order */
  cpb_names by_name; /* the variables */
  cpb_buffer names;
} cpb_sd_graph;

/* `graph->flat` is begun by the owner. */
void cpb_sd_graph_init(cpb_sd_graph *graph, const cpb_allocator *a, uint64_t max_memory, cpb_error *error);
void cpb_sd_graph_free(cpb_sd_graph *graph);

/* Makes the index; goes on where it was. CPB_HAVE, CPB_WAIT or CPB_FAILED with
 * the error set. */
cpb_have cpb_sd_graph_load(cpb_sd_graph *graph);

cpb_span cpb_sd_graph_text(const cpb_sd_graph *graph, cpb_sd_text text);

/* What a variable with values is: what is trained, and what else is like a weight, as docs/inspecting.md says. */
cpb_tensor_use cpb_sd_variable_use(const cpb_sd_variable *variable);
/* How many elements it counts as. */
uint64_t cpb_sd_variable_parameters(const cpb_sd_variable *variable);

/* NULL when there is none. */
const cpb_sd_node *cpb_sd_find_node(const cpb_sd_graph *graph, cpb_span name);
/* The operation that makes the variable. */
const cpb_sd_node *cpb_sd_find_maker(const cpb_sd_graph *graph, const cpb_sd_variable *variable);
const cpb_sd_variable *cpb_sd_find_variable(const cpb_sd_graph *graph, cpb_span name);
const cpb_sd_variable *cpb_sd_find_id(const cpb_sd_graph *graph, int64_t first, int64_t second);

#endif

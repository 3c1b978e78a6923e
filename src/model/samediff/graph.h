/* A graph file: an index of its variables and operations and of their inputs and outputs. One pass makes and validates
 * it; details are read again when needed. */
#ifndef CPB_MODEL_SAMEDIFF_GRAPH_H
#define CPB_MODEL_SAMEDIFF_GRAPH_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/input.h"
#include "cpb/base.h"
#include "model/common/answer.h"
#include "model/common/lists.h"
#include "model/formats/flatbuffers/flatbuffers.h"
#include "model/samediff/array.h"

typedef struct cpb_sd_text {
  size_t at, size; /* a range of the graph's names */
} cpb_sd_text;

typedef struct cpb_sd_variable {
  uint64_t table;
  cpb_sd_text name;
  int32_t id[2];     /* the operation that makes it and the number of the output; or a number of its own and 0 */
  cpb_sd_text type;  /* a range of the graph's types */
  uint64_t array;    /* the table of its array; 0: none */
  uint64_t bytes;    /* size of the array's values */
  uint64_t elements; /* for one with values, here or in another file: from the array, or from the shape */
  bool has_elements;
  const cpb_sd_dtype *dtype;
  uint8_t kind; /* KIND_... */
  bool used;    /* an operation takes it */
  bool made;    /* an operation makes it */
} cpb_sd_variable;

typedef struct cpb_sd_id {
  uint64_t key;
  uint32_t variable;
} cpb_sd_id;

/* A value or operation that an operation takes, makes or waits for. */
typedef struct cpb_sd_link {
  cpb_sd_text name;
  uint32_t variable; /* with this name, or CPB_NO_NAME */
} cpb_sd_link;

typedef enum cpb_sd_links {
  CPB_SD_INPUTS,
  CPB_SD_OUTPUTS,
  CPB_SD_CONTROLS, /* operations that must run first */
  CPB_SD_VARIABLE_CONTROLS,
  CPB_SD_NUM_LINKS
} cpb_sd_links;

typedef struct cpb_sd_node {
  uint64_t table;
  cpb_sd_text name, op;
  size_t links[CPB_SD_NUM_LINKS + 1]; /* index of the first link of each sort; the last is the end */
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
  cpb_sd_link *links;
  size_t num_links, links_capacity;
  cpb_sd_id *ids;    /* of the variables, sorted */
  cpb_names by_name; /* the variables */
  cpb_buffer names;
  cpb_buffer types; /* of variables: the DType, whether the shape is known, and the shape as 64-bit numbers */
} cpb_sd_graph;

/* The caller has begun `graph->flat`. */
void cpb_sd_graph_init(cpb_sd_graph *graph, const cpb_allocator *a, uint64_t max_memory, cpb_error *error);
void cpb_sd_graph_free(cpb_sd_graph *graph);

/* Makes the index, and continues after a wait. CPB_HAVE, CPB_WAIT or CPB_FAILED with the error set. */
cpb_have cpb_sd_graph_load(cpb_sd_graph *graph);

cpb_span cpb_sd_graph_text(const cpb_sd_graph *graph, cpb_sd_text text);

/* The dtype and shape of the variable, for cpb_sd_write_type(). The shape is the stored one, or else the array's. */
cpb_span cpb_sd_variable_type(const cpb_sd_graph *graph, const cpb_sd_variable *variable);
/* Writes the members "dtype" and "shape": null for a dimension of any size, or for an unknown shape. */
void cpb_sd_write_type(cpb_json_writer *answer, cpb_span type);

/* The use of a variable with values: trained, or otherwise like a weight, as docs/inspecting.md describes. */
cpb_tensor_use cpb_sd_variable_use(const cpb_sd_variable *variable);

/* NULL if it does not exist. */
const cpb_sd_variable *cpb_sd_find_variable(const cpb_sd_graph *graph, cpb_span name);

/* --- training --------------------------------------------------------------------------------- */

/* The training configuration of a SameDiff graph: JSON, in a table of FlatBuffers. */

/* Whether it is JSON; otherwise the error is set. */
bool cpb_sd_check_training(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error);

#endif

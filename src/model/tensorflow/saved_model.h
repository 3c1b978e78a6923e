/* A SavedModel or a GraphDef while questions are asked of it.
 *
 * Parts are read, each when a question first needs it: the skeleton, which is all but
 * the graphs; the graph of one meta graph; what Keras says of its objects. A question's
 * file, ask_*.c, then writes the answer from what is in memory. */
#ifndef CPB_MODEL_TENSORFLOW_SAVED_MODEL_H
#define CPB_MODEL_TENSORFLOW_SAVED_MODEL_H

#include "base/input.h"
#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/entries.h"
#include "model/common/pieces.h"
#include "model/common/problems.h"
#include "model/tensorflow/graph.h"
#include "model/tensorflow/objects.h"
#include "model/tensorflow/part.h"

typedef struct cpb_saved_model {
  cpb_allocator allocator;
  cpb_model_options options;
  cpb_limits limits;
  bool is_graph; /* a GraphDef: there is no skeleton */
  cpb_input no_input;

  cpb_part skeleton; /* of the SavedModel */
  size_t num_meta_graphs;
  cpb_span meta;        /* MetaGraphDef of the question */
  uint32_t meta_number; /* what is below belongs to this one */
  bool has_objects, has_graph;
  cpb_objects objects;
  cpb_problems object_problems;
  cpb_part graph_part;
  cpb_graph graph;
  cpb_problems graph_problems;
  struct cpb_saved_keras *keras; /* ask_keras.c; NULL until it is needed */
  bool with_keras;               /* this question takes in what Keras says */

  struct cpb_saved_variables *variables; /* variables.c; NULL: no checkpoint was given */

  cpb_pieces cut, cut_keras; /* the answer to CUT, as a plan */

  cpb_question question;
  cpb_json_writer *answer; /* these three during a step */
  cpb_error *error;
  cpb_problems problems; /* of this question */
} cpb_saved_model;

/* --- For the questions ---------------------------------------------------------- */

/* Each writes the answer's members. Failing is setting m->error. */
void cpb_ask_overview(cpb_saved_model *m);
void cpb_ask_graph_overview(cpb_saved_model *m);
void cpb_ask_signature(cpb_saved_model *m);
void cpb_ask_functions(cpb_saved_model *m);
void cpb_ask_function(cpb_saved_model *m);
void cpb_ask_nodes(cpb_saved_model *m);
void cpb_ask_consumers(cpb_saved_model *m);
void cpb_ask_cut(cpb_saved_model *m);
void cpb_ask_objects(cpb_saved_model *m);
void cpb_ask_constants(cpb_saved_model *m);
void cpb_ask_ops(cpb_saved_model *m);
void cpb_ask_scopes(cpb_saved_model *m);
void cpb_ask_search(cpb_saved_model *m);
void cpb_ask_variables(cpb_saved_model *m);

/* A field of the meta graph as a part (of a GraphDef, all of the input); false with the
 * error set. `read_ahead` as for an outline. */
bool cpb_saved_begin_part(cpb_saved_model *m, cpb_part *part, uint32_t field, const cpb_message_type *view,
                          uint64_t read_ahead);

/* Both answer false, for use in conditions. */
bool cpb_saved_fail_memory(cpb_saved_model *m);
/* CPB_E_NOT_FOUND: "there is no WHAT \"NAME\"". */
bool cpb_saved_not_found(cpb_saved_model *m, const char *what, cpb_span name);

static inline cpb_span cpb_saved_name(const cpb_saved_model *m) {
  return (cpb_span){(const uint8_t *)m->question.name, m->question.name_size};
}

static inline cpb_span cpb_saved_scope(const cpb_saved_model *m) {
  return (cpb_span){(const uint8_t *)m->question.scope, m->question.scope_size};
}

/* A list in pages: elements are counted, and those that are in the page written.
 *
 *     cpb_page page = cpb_page_open(m, "children");
 *     while (...)
 *       if (cpb_page_has(&page)) ... write one ...
 *     cpb_page_close(m, &page); */
typedef struct cpb_page {
  uint64_t first, count, total;
} cpb_page;

cpb_page cpb_page_open(cpb_saved_model *m, const char *key);
/* Counts an element; true when it is to be written. */
bool cpb_page_has(cpb_page *page);
void cpb_page_close(cpb_saved_model *m, const cpb_page *page);

/* "node" and "path" of an object (path null where it has none). */
void cpb_write_object_place(cpb_saved_model *m, uint32_t node);
/* What an object is: "kind" and what its kind has to say. */
void cpb_write_object(cpb_saved_model *m, uint32_t node);

/* The entries of a map by name; false with m->error set when memory is short. */
bool cpb_saved_entries(cpb_saved_model *m, cpb_span message, uint32_t number, cpb_entries *entries);

/* Of a SignatureDef: "method", "inputs" and "outputs". */
void cpb_write_signature(cpb_saved_model *m, cpb_span signature);

/* A CollectionDef of the meta graph. */
cpb_span cpb_saved_collection(const cpb_saved_model *m, const char *name);

/* Of the overview's "variables": "stored", how much the checkpoint has; nothing without one. */
void cpb_write_stored_summary(cpb_saved_model *m);

/* A TensorInfo's members: "tensor", "dtype", "shape", or "sparse", "composite". */
void cpb_write_tensor_info(cpb_saved_model *m, cpb_span info);

/* "captures": what the last arguments of a function are bound to. `signature` is its
 * OpDef, `concrete` its SavedConcreteFunction. */
void cpb_write_captures(cpb_saved_model *m, cpb_span signature, cpb_span concrete);
/* "arguments", a list of {"name", "value"}, and "returns", as Python calls it. `spec` is
 * a FunctionSpec, or empty. */
void cpb_write_call_signature(cpb_saved_model *m, cpb_span concrete, cpb_span spec);

/* What the object graph says of a function: "objects", "captures", "arguments" and
 * "returns". `signature` is its OpDef. */
void cpb_write_concrete(cpb_saved_model *m, cpb_span signature, cpb_span function);
/* "objects" alone, which lead to the function; returns the FunctionSpec of the first. */
cpb_span cpb_write_function_objects(cpb_saved_model *m, cpb_span function);
/* "calls": {"function", "nodes"}. */
void cpb_write_calls(cpb_saved_model *m, uint32_t function);
/* The function of that name, or of the question's; CPB_MAIN_GRAPH for a name with `data` NULL.
 * False when there is none. */
bool cpb_saved_function_named(cpb_saved_model *m, cpb_span name, uint32_t *function);
bool cpb_saved_function(cpb_saved_model *m, uint32_t *function);
/* "function": its name; null for the graph. */
void cpb_write_function_name(cpb_saved_model *m, uint32_t function);

/* Whether TensorFlow 2 has an operation of that name. */
bool cpb_is_tensorflow_op(cpb_span name);

#endif

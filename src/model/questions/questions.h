/* The questions, each written once, above the view of a model (model/view). */
#ifndef CPB_MODEL_QUESTIONS_QUESTIONS_H
#define CPB_MODEL_QUESTIONS_QUESTIONS_H

#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/answer.h"
#include "model/common/lists.h"
#include "model/view/inventory.h"
#include "model/view/view.h"

/* A model during the answer to a question. */
typedef struct cpb_viewed {
  cpb_allocator allocator;
  cpb_meter *meter;
  cpb_question question;
  cpb_json_writer *answer; /* valid during a step: the answer and the error */
  cpb_error *error;
  cpb_problems problems;   /* of this question */
  const cpb_error *damage; /* of the part that was read, or NULL */
  cpb_view view;
  bool lacks_tensors;      /* some were skipped */
  bool has_variables;      /* the values are not in the model's tensors */
  cpb_inventory inventory; /* of the model's tensors */
  bool has_inventory;
} cpb_viewed;

void cpb_viewed_init(cpb_viewed *m, const cpb_allocator *a, cpb_meter *meter, const cpb_view_kind *kind,
                     const cpb_part *part);
/* Frees everything that was built from the message: graphs and tensors. */
void cpb_viewed_forget(cpb_viewed *m);

/* Writes the members of an answer. */
typedef void cpb_write_answer(cpb_viewed *model);

void cpb_question_functions(cpb_viewed *m);
void cpb_question_function(cpb_viewed *m);
void cpb_question_nodes(cpb_viewed *m);
void cpb_question_layers(cpb_viewed *m);
void cpb_question_constants(cpb_viewed *m);
void cpb_question_ops(cpb_viewed *m);
void cpb_question_search(cpb_viewed *m);
void cpb_question_scopes(cpb_viewed *m);
void cpb_question_consumers(cpb_viewed *m);
void cpb_question_node(cpb_viewed *m);
void cpb_question_upstream(cpb_viewed *m);
void cpb_question_downstream(cpb_viewed *m);

/* NULL for an unsupported question. */
cpb_write_answer *cpb_question_find(cpb_question_kind kind);

/* --- For those and for overviews --------------------------------------------------------------- */

/* Both return false, for use in conditions. */
bool cpb_viewed_fail_memory(cpb_viewed *m);
/* CPB_E_NOT_FOUND: "there is no WHAT \"NAME\""; for a damaged model, the message includes the damage. */
bool cpb_viewed_not_found(cpb_viewed *m, const char *what, cpb_span name);

static inline cpb_span cpb_viewed_name(const cpb_viewed *m) {
  return (cpb_span){(const uint8_t *)m->question.name, m->question.name_size};
}

static inline cpb_span cpb_viewed_scope(const cpb_viewed *m) {
  return (cpb_span){(const uint8_t *)m->question.scope, m->question.scope_size};
}

static inline cpb_span cpb_viewed_to(const cpb_viewed *m) {
  return (cpb_span){(const uint8_t *)m->question.to, m->question.to_size};
}

/* A page of a list in the answer. */
static inline cpb_page cpb_viewed_page(cpb_viewed *m, const char *key) {
  return cpb_page_open(m->answer, &m->question, key);
}

/* The graph with this name; the model's own if the name's `data` is NULL. False with the error set. */
bool cpb_viewed_graph(cpb_viewed *m, cpb_span name, uint32_t *graph);

/* The model's tensors, or NULL with the error set. */
const cpb_inventory *cpb_viewed_inventory(cpb_viewed *m);

/* The values that are a function's outputs, and the nodes that must have run, by output name; empty for kinds whose
 * outputs have the names of values. False with the error set; otherwise free them. */
bool cpb_viewed_returns(cpb_viewed *m, const cpb_view_graph *graph, cpb_entries *returns, cpb_entries *controls);

/* The graph's name; null for the model's own. */
void cpb_viewed_write_graph_name(cpb_viewed *m, const char *key, uint32_t graph);
void cpb_viewed_write_tensor_name(cpb_viewed *m, const char *key, const cpb_view_tensor *tensor);

/* Writes the members of a node in a list of NODES. `types` may be NULL. */
void cpb_viewed_write_node(cpb_viewed *m, uint32_t graph, const cpb_view_types *types, const cpb_view_node *node);
/* Writes "consumers", which take the outputs of the node. False with the error set. */
bool cpb_viewed_write_consumers(cpb_viewed *m, uint32_t graph, const cpb_view_node *node);
/* Writes all members of the tensor. */
void cpb_viewed_write_item(cpb_viewed *m, const cpb_view_item *item);

/* Writes the functions that a graph calls, or the graphs that call it, with the number of calling nodes. */
void cpb_viewed_write_calls(cpb_viewed *m, const char *key, uint32_t graph, bool callers);
/* Writes the results of SEARCH in graphs, on a page. */
void cpb_viewed_search(cpb_viewed *m, cpb_page *page);
/* "nodes", "subgraphs", "subgraph_nodes", "functions", "function_nodes". */
void cpb_viewed_write_counts(cpb_viewed *m);
/* Total elements and bytes of the weights, each counted once. */
cpb_parameters cpb_viewed_parameters(cpb_viewed *m);
/* Writes "parameters" with these totals. */
void cpb_viewed_write_parameters(cpb_viewed *m);
/* "external_data": bytes of all tensors in other files. */
void cpb_viewed_write_files(cpb_viewed *m);

#endif

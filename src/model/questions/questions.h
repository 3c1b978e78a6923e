/* The questions about a model of which all of the structure is read at the first: each is written once, above the view
 * of the model (model/view). */
#ifndef CPB_MODEL_QUESTIONS_QUESTIONS_H
#define CPB_MODEL_QUESTIONS_QUESTIONS_H

#include "model/common/page.h"
#include "model/common/whole.h"
#include "model/view/inventory.h"
#include "model/view/types.h"

/* A model while questions are asked of it. */
typedef struct cpb_viewed {
  cpb_whole whole; /* its message */
  const struct cpb_viewed_kind *kind;
  cpb_view view;
  bool has_graphs;
  cpb_inventory inventory;
  bool has_inventory;
  cpb_problems graph_problems;
  const char *empty; /* a problem of a model that has nothing, or NULL; known with the graphs */
} cpb_viewed;

/* What the reader of a kind does besides (reader.h). */
typedef struct cpb_viewed_kind {
  const cpb_view_kind *view;
  const cpb_message_type *type; /* what is read of its message */
  /* Its own state, which the view knows. NULL when memory is short. Not there: it has none. */
  void *(*create)(cpb_viewed *model);
  void (*destroy)(cpb_viewed *model);
  /* Before the question is read: true if the model is to be read anew. Not there: never. */
  bool (*prepare)(cpb_viewed *model, const cpb_question *question);
  /* After it is read: whether that is not enough, and all of it must be read. Not there: never. */
  bool (*needs_more)(cpb_viewed *model);
  /* Whether tensors were passed over. Not there: never. */
  bool (*lacks_tensors)(const cpb_viewed *model);
  void (*forget)(cpb_viewed *model); /* what it knows of the message */
  /* The graphs of the message. False with the error set. */
  bool (*build)(cpb_viewed *model);
  void (*write_overview)(cpb_viewed *model);
  void (*write_end)(cpb_viewed *model);          /* further members of each answer; NULL: none */
  const char *(*missing)(cpb_span message);      /* what follows where a damaged model ends */
  const char *(*lost_of)(uint32_t field);        /* what that field of the message is */
  const char *(*empty)(const cpb_viewed *model); /* a problem of one that is whole, but has nothing; or NULL */
} cpb_viewed_kind;

/* Writes the members of an answer; errors are those of `whole`. */
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

/* NULL for a question that is not answered. */
cpb_write_answer *cpb_question_find(cpb_question_kind kind);

/* --- For those and for overviews --------------------------------------------------------------- */

static inline cpb_span cpb_viewed_name(const cpb_viewed *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.name, m->whole.question.name_size};
}

static inline cpb_span cpb_viewed_scope(const cpb_viewed *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.scope, m->whole.question.scope_size};
}

/* A list in pages of the answer. */
static inline cpb_page cpb_viewed_page(cpb_viewed *m, const char *key) {
  return cpb_page_open(m->whole.answer, &m->whole.question, key);
}

/* The graph of that name, the model's own for a name with `data` NULL. False with the error set. */
bool cpb_viewed_graph(cpb_viewed *m, cpb_span name, uint32_t *graph);

/* Its tensors, or NULL with the error set. */
const cpb_inventory *cpb_viewed_inventory(cpb_viewed *m);

/* The graph's name; null for the model's own. */
void cpb_viewed_write_graph_name(cpb_viewed *m, const char *key, uint32_t graph);
void cpb_viewed_write_tensor_name(cpb_viewed *m, const char *key, const cpb_view_tensor *tensor);

/* The members of a node as the question NODES lists it. `types` may be NULL. */
void cpb_viewed_write_node(cpb_viewed *m, uint32_t graph, const cpb_view_types *types, const cpb_view_node *node);
/* "consumers": what takes the outputs of the node. False with the error set. */
bool cpb_viewed_write_consumers(cpb_viewed *m, uint32_t graph, const cpb_view_node *node);
/* Members of an object: all about the tensor. */
void cpb_viewed_write_item(cpb_viewed *m, const cpb_view_item *item);

/* "nodes", "subgraphs", "subgraph_nodes", "functions", "function_nodes". */
void cpb_viewed_write_counts(cpb_viewed *m);
/* "parameters": elements and bytes of the weights, each once; "external_data": bytes of all tensors in other files. */
void cpb_viewed_write_parameters(cpb_viewed *m);

#endif

/* A Core ML model while questions are asked of it.
 *
 * All of it is read at the first question, without what tensors hold. A question's file in ask/ then writes the answer
 * from what is in memory. */
#ifndef CPB_MODEL_COREML_STATE_H
#define CPB_MODEL_COREML_STATE_H

#include "model/common/page.h"
#include "model/common/whole.h"
#include "model/coreml/constants.h"
#include "model/coreml/graphs.h"

typedef struct cpb_coreml_model {
  cpb_whole whole; /* the Model */
  cpb_coreml_graphs graphs;
  bool has_graphs, has_type;
  cpb_problems graph_problems;
} cpb_coreml_model;

static inline cpb_span cpb_coreml_name(const cpb_coreml_model *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.name, m->whole.question.name_size};
}

static inline cpb_span cpb_coreml_scope(const cpb_coreml_model *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.scope, m->whole.question.scope_size};
}

/* The graph of that name, the model's own for a name with `data` NULL. False with the error set. */
bool cpb_coreml_graph_named(cpb_coreml_model *m, cpb_span name, uint32_t *graph);

/* The graph's name; null for the model's own. */
void cpb_coreml_write_graph_name(cpb_coreml_model *m, const char *key, uint32_t graph);

/* The name of a constant. */
void cpb_coreml_write_constant_name(cpb_coreml_model *m, const char *key, const cpb_coreml_constant *constant);

/* A list in pages of the answer to the question. */
static inline cpb_page cpb_coreml_open_page(cpb_coreml_model *m, const char *key) {
  return cpb_page_open(m->whole.answer, &m->whole.question, key);
}

#endif

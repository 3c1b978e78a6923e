/* An ONNX model while questions are asked of it.
 *
 * All of it is read at the first question, without what tensors hold: any question needs most of that, and
 * its inputs come after its weights. Where a brief answer is asked for, that is done without the tensors (brief.h),
 * and once more when a question needs them. A question's file in ask/ then writes the answer from what is in memory. */
#ifndef CPB_MODEL_ONNX_STATE_H
#define CPB_MODEL_ONNX_STATE_H

#include "model/common/page.h"
#include "model/common/whole.h"
#include "model/onnx/brief.h"
#include "model/onnx/graphs.h"

typedef struct cpb_onnx_model {
  cpb_whole whole; /* the ModelProto */
  cpb_onnx_brief brief;
  cpb_onnx_graphs graphs;
  bool has_graphs;
  cpb_problems graph_problems;
} cpb_onnx_model;

static inline cpb_span cpb_onnx_name(const cpb_onnx_model *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.name, m->whole.question.name_size};
}

static inline cpb_span cpb_onnx_scope(const cpb_onnx_model *m) {
  return (cpb_span){(const uint8_t *)m->whole.question.scope, m->whole.question.scope_size};
}

/* The graph of that name, the model's own for a name with `data` NULL. False with the error set. */
bool cpb_onnx_graph_named(cpb_onnx_model *m, cpb_span name, uint32_t *graph);

/* The graph's name; null for the model's own. */
void cpb_onnx_write_graph_name(cpb_onnx_model *m, const char *key, uint32_t graph);

/* A list in pages of the answer to the question. */
static inline cpb_page cpb_onnx_open_page(cpb_onnx_model *m, const char *key) {
  return cpb_page_open(m->whole.answer, &m->whole.question, key);
}

#endif

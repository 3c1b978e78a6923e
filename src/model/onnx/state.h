/* An ONNX model while questions are asked of it.
 *
 * All of it is read at the first question, without what tensors hold: any question needs most of that, and
 * its inputs come after its weights. Where a brief answer is asked for, that is done without the tensors (brief.h),
 * and once more when a question needs them. A question's file in ask/ then writes the answer from what is in memory. */
#ifndef CPB_MODEL_ONNX_STATE_H
#define CPB_MODEL_ONNX_STATE_H

#include "base/input.h"
#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/page.h"
#include "model/common/part.h"
#include "model/common/problems.h"
#include "model/onnx/brief.h"
#include "model/onnx/graphs.h"

typedef struct cpb_onnx_model {
  cpb_allocator allocator;
  cpb_meter *meter;
  cpb_model_options options;
  cpb_limits limits;
  cpb_input no_input;
  cpb_error damage; /* of the input, from the host */

  cpb_part part; /* the ModelProto */
  cpb_onnx_brief brief;
  cpb_onnx_graphs graphs;
  bool has_graphs;
  cpb_problems graph_problems;

  cpb_question question;
  cpb_json_writer *answer; /* these two during a step */
  cpb_error *error;
  cpb_problems problems; /* of this question */
} cpb_onnx_model;

/* Both return false, for use in conditions. */
bool cpb_onnx_fail_memory(cpb_onnx_model *m);
/* CPB_E_NOT_FOUND: "there is no WHAT \"NAME\""; of a damaged model with what is wrong with it. */
bool cpb_onnx_not_found(cpb_onnx_model *m, const char *what, cpb_span name);

static inline cpb_span cpb_onnx_name(const cpb_onnx_model *m) {
  return (cpb_span){(const uint8_t *)m->question.name, m->question.name_size};
}

static inline cpb_span cpb_onnx_scope(const cpb_onnx_model *m) {
  return (cpb_span){(const uint8_t *)m->question.scope, m->question.scope_size};
}

/* The graph of that name, the model's own for a name with `data` NULL. False with the error set. */
bool cpb_onnx_graph_named(cpb_onnx_model *m, cpb_span name, uint32_t *graph);

/* The graph's name; null for the model's own. */
void cpb_onnx_write_graph_name(cpb_onnx_model *m, const char *key, uint32_t graph);

/* A list in pages of the answer to the question. */
static inline cpb_page cpb_onnx_open_page(cpb_onnx_model *m, const char *key) {
  return cpb_page_open(m->answer, &m->question, key);
}

#endif

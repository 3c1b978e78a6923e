#include "model_operations.h"

#include <string.h>

#include "operation_host.h"

static void ask(const host *h, outcome *out, cpb_model_kind kind, cpb_question_kind asked, const char *name) {
  cpb_model_options options = {.struct_size = sizeof options, .limits = h->limits};
  const cpb_question question = {
      .struct_size = sizeof question, .kind = asked, .name = name, .name_size = name ? strlen(name) : 0};
  cpb_model *model = cpb_model_new(h->allocator, kind, &options);
  if (model == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  cpb_model_ask(model, &question);
  while ((step = cpb_model_step(model)) == CPB_STEP_NEED) answer(h, &state, cpb_model_input(model));
  size_t size;
  const char *json = cpb_model_answer(model, &size);
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_model_error(model));
  else keep_bytes(out, json, size);
  cpb_model_free(model);
}

cpb_model_kind samediff_kind_of(const host *h) {
  return h->size > 0 && h->data[0] == 'P' ? CPB_MODEL_SAMEDIFF_ZIP : CPB_MODEL_SAMEDIFF_GRAPH;
}

void ask_samediff(const host *h, outcome *out) { ask(h, out, samediff_kind_of(h), CPB_ASK_TAG, NULL); }
void ask_checkpoint(const host *h, outcome *out) { ask(h, out, CPB_MODEL_CHECKPOINT, CPB_ASK_VARIABLES, NULL); }

/* --- The questions ------------------------------------------------------------ */

SAMPLES(saved_model, "cpb/saved_model_split-standard/orig.pb", "cpb/real_tf_module/orig.pb");
SAMPLES(module, "cpb/real_tf_module/orig.pb");
SAMPLES(graph, "cpb/real_frozen_conv/orig.pb");
SAMPLES(keras, "cpb/real_tf_keras_subclassed/model/keras_metadata.pb");
SAMPLES(meta, "cases/tf1.meta");
SAMPLES(onnx, "cases/dynamo.onnx", "cases/if_branch.onnx");
SAMPLES(exported, "cases/dynamo.onnx");
SAMPLES(coreml, "cases/multi.mlpackage/Data/com.apple.CoreML/model.mlmodel", "cases/upd.mlmodel");
SAMPLES(samediff, "samediff_small/linear.fb");
SAMPLES(checkpoints, "cases/tf2/ck-1.index", "cases/v1/m.ckpt");

/* X(kind, question, name, samples) */
#define QUESTIONS(X)                           \
  X(SAVED_MODEL, OVERVIEW, NULL, saved_model)  \
  X(SAVED_MODEL, SIGNATURE, "lookup", module)  \
  X(SAVED_MODEL, FUNCTIONS, NULL, saved_model) \
  X(SAVED_MODEL, OBJECTS, "root", module)      \
  X(SAVED_MODEL, LAYERS, NULL, module)         \
  X(SAVED_MODEL, VARIABLES, NULL, module)      \
  X(SAVED_MODEL, LOAD, "root.f", module)       \
  X(SAVED_MODEL, CUT, "root.f", module)        \
  X(GRAPH_DEF, NODES, NULL, graph)             \
  X(GRAPH_DEF, LAYERS, NULL, graph)            \
  X(GRAPH_DEF, CONSTANTS, NULL, graph)         \
  X(GRAPH_DEF, OPS, NULL, graph)               \
  X(GRAPH_DEF, SCOPES, NULL, graph)            \
  X(GRAPH_DEF, SEARCH, "model", graph)         \
  X(KERAS_METADATA, OVERVIEW, NULL, keras)     \
  X(KERAS_METADATA, LAYERS, NULL, keras)       \
  X(META_GRAPH, OVERVIEW, NULL, meta)          \
  X(META_GRAPH, VARIABLES, NULL, meta)         \
  X(ONNX, OVERVIEW, NULL, onnx)                \
  X(ONNX, FUNCTIONS, NULL, onnx)               \
  X(ONNX, NODES, NULL, onnx)                   \
  X(ONNX, LAYERS, NULL, onnx)                  \
  X(ONNX, CONSTANTS, NULL, onnx)               \
  X(ONNX, SCOPES, NULL, onnx)                  \
  X(ONNX, NODE, "y", exported)                 \
  X(ONNX, CONSUMERS, "x", exported)            \
  X(ONNX, UPSTREAM, "y", exported)             \
  X(COREML, OVERVIEW, NULL, coreml)            \
  X(COREML, FUNCTIONS, NULL, coreml)           \
  X(COREML, NODES, NULL, coreml)               \
  X(COREML, LAYERS, NULL, coreml)              \
  X(COREML, CONSTANTS, NULL, coreml)           \
  X(SAMEDIFF_GRAPH, NODES, NULL, samediff)     \
  X(SAMEDIFF_GRAPH, LAYERS, NULL, samediff)    \
  X(SAMEDIFF_GRAPH, CONSTANTS, NULL, samediff) \
  X(SAMEDIFF_GRAPH, SCOPES, NULL, samediff)    \
  X(CHECKPOINT, LAYERS, NULL, checkpoints)

#define ASK(kind, question, name, samples)                           \
  static void ask_##kind##_##question(const host *h, outcome *out) { \
    ask(h, out, CPB_MODEL_##kind, CPB_ASK_##question, name);         \
  }
QUESTIONS(ASK)

#define ROW(kind, question, name, samples) {#kind " " #question, ask_##kind##_##question, samples, OP_QUESTION},
const operation questions[] = {QUESTIONS(ROW)};
const size_t num_questions = sizeof questions / sizeof *questions;

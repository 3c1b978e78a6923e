#include "model/kinds.h"

#include "model/checkpoint/stored_values.h"
#include "model/keras/metadata.h"
#include "model/onnx/ask/model.h"
#include "model/onnx/guess.h"
#include "model/onnx/initializer_values.h"
#include "model/samediff/array_values.h"
#include "model/samediff/samediff.h"
#include "model/tensorflow/ask/saved_model.h"
#include "model/tensorflow/constant.h"
#include "model/tensorflow/guess.h"

static const cpb_kind kinds[] = {
    {CPB_MODEL_SAMEDIFF_ZIP, "a SameDiff zip", NULL, cpb_samediff_zip_guess, &cpb_samediff_reader,
     &cpb_samediff_values},
    {CPB_MODEL_SAMEDIFF_GRAPH, "a SameDiff graph", NULL, cpb_samediff_graph_guess, &cpb_samediff_reader,
     &cpb_samediff_values},
    {CPB_MODEL_KERAS_METADATA, "Keras metadata", NULL, cpb_keras_metadata_guess, &cpb_keras_metadata_reader, NULL},
    {CPB_MODEL_SAVED_MODEL, "a SavedModel", "tensorflow.SavedModel", cpb_saved_model_guess, &cpb_saved_model_reader,
     &cpb_constant_values},
    {CPB_MODEL_GRAPH_DEF, "a GraphDef", "tensorflow.GraphDef", cpb_graph_def_guess, &cpb_saved_model_reader,
     &cpb_constant_values},
    {CPB_MODEL_ONNX, "an ONNX model", "onnx.ModelProto", cpb_onnx_guess, &cpb_onnx_reader, &cpb_onnx_values},
};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

const cpb_kind *cpb_kind_find(cpb_model_kind kind) {
  for (size_t i = 0; i < NUM_KINDS; i++) {
    if (kinds[i].kind == kind) return &kinds[i];
  }
  return NULL;
}

const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options) {
  const cpb_kind *found = cpb_kind_find(kind);
  if (options->checkpoint) return &cpb_stored_values;
  return found ? found->values : NULL;
}

const char *cpb_model_message_type(cpb_model_kind kind) {
  const cpb_kind *found = cpb_kind_find(kind);
  return found ? found->type : NULL;
}

/* The kind that fits best; of several the first. */
cpb_model_kind cpb_model_guess(const void *data, size_t size) {
  const cpb_span begin = {data, size};
  int best = 0;
  cpb_model_kind kind = 0;
  if (size == 0) return 0;
  for (size_t i = 0; i < NUM_KINDS; i++) {
    int score = kinds[i].guess(begin);
    if (score <= best) continue;
    best = score;
    kind = kinds[i].kind;
  }
  return kind;
}

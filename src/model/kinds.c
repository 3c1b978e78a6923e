#include "model/kinds.h"

#include "model/checkpoint/stored_values.h"
#include "model/coreml/model.h"
#include "model/coreml/values.h"
#include "model/keras/metadata.h"
#include "model/onnx/model.h"
#include "model/onnx/values.h"
#include "model/samediff/array_values.h"
#include "model/samediff/samediff.h"
#include "model/tensorflow/ask/saved_model.h"
#include "model/tensorflow/constant.h"

static const cpb_kind kinds[] = {
    {CPB_MODEL_SAMEDIFF_ZIP, &cpb_samediff_reader, &cpb_samediff_values},
    {CPB_MODEL_SAMEDIFF_GRAPH, &cpb_samediff_reader, &cpb_samediff_values},
    {CPB_MODEL_KERAS_METADATA, &cpb_keras_metadata_reader, NULL},
    {CPB_MODEL_SAVED_MODEL, &cpb_saved_model_reader, &cpb_constant_values},
    {CPB_MODEL_GRAPH_DEF, &cpb_saved_model_reader, &cpb_constant_values},
    {CPB_MODEL_META_GRAPH, &cpb_saved_model_reader, &cpb_constant_values},
    {CPB_MODEL_ONNX, &cpb_onnx_reader, &cpb_onnx_values},
    {CPB_MODEL_COREML, &cpb_coreml_reader, &cpb_coreml_values_reader},
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

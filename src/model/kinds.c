#include "model/kinds.h"

#include "model/checkpoint/checkpoint.h"
#include "model/common/kind.h"

#define ROW(NAME, name, number, label, type) [number] = &cpb_##name##_kind,
static const cpb_kind *const all[] = {CPB_MODEL_KINDS(ROW)};
#define NUM_KINDS (sizeof all / sizeof *all)

static const cpb_kind *const common[NUM_KINDS] = {[CPB_MODEL_CHECKPOINT] = &cpb_checkpoint_kind,
                                                  [CPB_MODEL_GRAPH_DEF] = &cpb_graph_def_kind,
                                                  [CPB_MODEL_KERAS_METADATA] = &cpb_keras_metadata_kind,
                                                  [CPB_MODEL_META_GRAPH] = &cpb_meta_graph_kind,
                                                  [CPB_MODEL_ONNX] = &cpb_onnx_kind,
                                                  [CPB_MODEL_SAVED_MODEL] = &cpb_saved_model_kind};

const cpb_kind *cpb_kind_find(cpb_model_kind kind) {
  const cpb_kind *const *kinds = CPB_WITH_WHOLE_MODEL ? all : common;
  return (size_t)kind < NUM_KINDS ? kinds[kind] : NULL;
}

const cpb_values_reader *cpb_kind_values(cpb_model_kind kind, const cpb_values_options *options) {
  const cpb_kind *found = cpb_kind_find(kind);
  if (options->checkpoint) return &cpb_stored_values;
  return found ? found->values : NULL;
}

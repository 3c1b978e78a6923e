/* Which kind of model a file is. A table of its own beside that of kinds.c, so that a program which only asks this does
 * not have the readers. */
#include "model/coreml/guess.h"
#include "model/keras/metadata.h"
#include "model/kinds.h"
#include "model/onnx/guess.h"
#include "model/samediff/samediff.h"
#include "model/tensorflow/guess.h"

static const struct {
  cpb_model_kind kind;
  int (*guess)(cpb_span begin); /* how well a file that begins so fits; 0: it does not */
} kinds[] = {
    {CPB_MODEL_SAMEDIFF_ZIP, cpb_samediff_zip_guess},
    {CPB_MODEL_SAMEDIFF_GRAPH, cpb_samediff_graph_guess},
    {CPB_MODEL_KERAS_METADATA, cpb_keras_metadata_guess},
    {CPB_MODEL_SAVED_MODEL, cpb_saved_model_guess},
    {CPB_MODEL_GRAPH_DEF, cpb_graph_def_guess},
    {CPB_MODEL_META_GRAPH, cpb_meta_graph_guess},
    {CPB_MODEL_ONNX, cpb_onnx_guess},
    {CPB_MODEL_COREML, cpb_coreml_guess},
};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

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

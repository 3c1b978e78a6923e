/* A kind of models: a row in its own folder, beside what recognizes a file. Its names are in CPB_MODEL_KINDS
 * (cpb/model.h), of which the tables in kinds.c and guess.c are made. */
#ifndef CPB_MODEL_COMMON_KIND_H
#define CPB_MODEL_COMMON_KIND_H

#include "model/common/diff_kind.h"
#include "model/common/model_reader.h"
#include "model/common/values_reader.h"

typedef struct cpb_kind {
  const cpb_model_reader *reader;
  const cpb_values_reader *values; /* NULL: it has no values */
  cpb_diff_kind diff;
} cpb_kind;

extern const cpb_kind cpb_checkpoint_kind;
extern const cpb_kind cpb_coreml_kind;
extern const cpb_kind cpb_graph_def_kind;
extern const cpb_kind cpb_keras_metadata_kind;
extern const cpb_kind cpb_meta_graph_kind;
extern const cpb_kind cpb_onnx_kind;
extern const cpb_kind cpb_samediff_graph_kind;
extern const cpb_kind cpb_samediff_zip_kind;
extern const cpb_kind cpb_saved_model_kind;

/* How well a file that begins so fits; 0: it does not. Not in the rows, with which a program links the readers. */
int cpb_checkpoint_guess(cpb_span begin);
int cpb_coreml_guess(cpb_span begin);
int cpb_graph_def_guess(cpb_span begin);
int cpb_keras_metadata_guess(cpb_span begin);
int cpb_meta_graph_guess(cpb_span begin);
int cpb_onnx_guess(cpb_span begin);
int cpb_samediff_graph_guess(cpb_span begin);
int cpb_samediff_zip_guess(cpb_span begin);
int cpb_saved_model_guess(cpb_span begin);

#endif

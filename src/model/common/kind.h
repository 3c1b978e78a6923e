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

/* How well a file fits; 0: it does not. `is_named`: its name says that it is of that kind. Not in the rows, with
 * which a program links the readers. */
int cpb_checkpoint_guess(const cpb_file_ends *ends, bool is_named);
int cpb_coreml_guess(const cpb_file_ends *ends, bool is_named);
int cpb_graph_def_guess(const cpb_file_ends *ends, bool is_named);
int cpb_keras_metadata_guess(const cpb_file_ends *ends, bool is_named);
int cpb_meta_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_onnx_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_zip_guess(const cpb_file_ends *ends, bool is_named);
int cpb_saved_model_guess(const cpb_file_ends *ends, bool is_named);

/* The kind that a file was before its line ends were converted, LF to CRLF; 0: they were not. */
cpb_model_kind cpb_guess_converted(const cpb_file_ends *ends);

#endif

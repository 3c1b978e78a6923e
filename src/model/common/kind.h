/* The entry of one kind of model: its readers, and how to recognize a file. Each kind defines it in its own folder.
 * CPB_MODEL_KINDS (cpb/model.h) has its names; kinds.c and guess.c make their tables from it. */
#ifndef CPB_MODEL_COMMON_KIND_H
#define CPB_MODEL_COMMON_KIND_H

#include "model/common/diff_kind.h"
#include "model/common/model_reader.h"
#include "model/common/values_reader.h"

typedef struct cpb_kind {
  const cpb_model_reader *reader;
  const cpb_values_reader *values; /* NULL: the kind has no values */
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

/* How well a file fits; 0: it does not. `is_named`: its name has the kind's ending. These functions are not in the
 * rows, because a program that uses the rows links all readers. */
int cpb_checkpoint_guess(const cpb_file_ends *ends, bool is_named);
int cpb_coreml_guess(const cpb_file_ends *ends, bool is_named);
int cpb_graph_def_guess(const cpb_file_ends *ends, bool is_named);
int cpb_keras_metadata_guess(const cpb_file_ends *ends, bool is_named);
int cpb_meta_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_onnx_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_zip_guess(const cpb_file_ends *ends, bool is_named);
int cpb_saved_model_guess(const cpb_file_ends *ends, bool is_named);

/* The kind of the file before its line ends were converted from LF to CRLF; 0: they were not converted. */
cpb_model_kind cpb_guess_converted(const cpb_file_ends *ends);

#endif

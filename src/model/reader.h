/* What a kind of model does behind cpb_model (cpb/model.h).
 *
 * model.c owns the question, the answer's buffer and the error; a reader has
 * what it keeps of the model. */
#ifndef CPB_MODEL_READER_H
#define CPB_MODEL_READER_H

#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/pieces.h"

typedef struct cpb_model_reader {
  /* NULL when memory is short. `options` has its defaults filled in. */
  void *(*create)(const cpb_allocator *allocator, cpb_model_kind kind, const cpb_model_options *options);
  void (*destroy)(void *reader);
  /* Begins a question; the strings in it live until the next. What a question
   * before it has left half done is dropped. */
  void (*ask)(void *reader, const cpb_question *question);
  /* CPB_STEP_NEED, CPB_STEP_DONE with the answer written, or CPB_STEP_ERROR. */
  cpb_step (*step)(void *reader, cpb_json_writer *answer, cpb_error *error);
  cpb_input *(*input)(void *reader);
} cpb_model_reader;

extern const cpb_model_reader cpb_saved_model_reader; /* SAVED_MODEL, GRAPH_DEF */
/* Of that reader: the plan that the last answer was about; empty for most. */
const cpb_pieces *cpb_saved_cut(const void *reader, cpb_cut_file file);
extern const cpb_model_reader cpb_keras_metadata_reader; /* KERAS_METADATA */
extern const cpb_model_reader cpb_samediff_reader;       /* SAMEDIFF_ZIP, SAMEDIFF_GRAPH */

#endif

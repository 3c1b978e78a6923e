/* What a kind of model does behind cpb_model (cpb/model.h).
 *
 * model.c owns the question, the answer's buffer and the error; a reader has
 * what it keeps of the model. */
#ifndef CPB_MODEL_COMMON_MODEL_READER_H
#define CPB_MODEL_COMMON_MODEL_READER_H

#include "base/json_writer.h"
#include "base/meter.h"
#include "cpb/model.h"
#include "model/common/pieces.h"

typedef struct cpb_model_reader {
  /* NULL when memory is short. What the allocator gives counts as held by the meter, to which
   * the reader charges its work; while it writes, through the answer. `options` has its defaults
   * filled in. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind,
                  const cpb_model_options *options);
  void (*destroy)(void *reader);
  /* Begins a question; the strings in it live until the next. What a question
   * before it has left half done is dropped. */
  void (*ask)(void *reader, const cpb_question *question);
  /* CPB_STEP_NEED, CPB_STEP_DONE with the answer written, or CPB_STEP_ERROR. */
  cpb_step (*step)(void *reader, cpb_json_writer *answer, cpb_error *error);
  cpb_input *(*input)(void *reader);
  /* Whether the question can be asked of that kind; no other is passed to `ask`. */
  bool (*answers)(cpb_model_kind kind, cpb_question_kind question);

  /* What only some kinds have; NULL for the others. */

  /* As in cpb/model.h. */
  int (*set_keras_metadata)(void *reader, const void *data, size_t size);
  void (*note_damage)(void *reader, const char *message);
  /* The table lives until another one is set. False if models of the kind have no operators that one could be of. */
  bool (*set_operators)(void *reader, cpb_span table);
  int (*set_checkpoint)(void *reader, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size);
  /* The plan that the last answer was about; empty for most. */
  const cpb_pieces *(*pieces)(const void *reader, cpb_cut_file file);
} cpb_model_reader;

#endif

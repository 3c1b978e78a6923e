/* The interface between cpb_model (cpb/model.h) and the reader of one kind of model.
 *
 * model.c owns the question, the answer's buffer and the error; a reader owns its own state. */
#ifndef CPB_MODEL_COMMON_MODEL_READER_H
#define CPB_MODEL_COMMON_MODEL_READER_H

#include "base/json_writer.h"
#include "base/meter.h"
#include "cpb/model.h"
#include "model/common/pieces.h"

typedef struct cpb_model_reader {
  /* NULL if memory is short. The meter counts memory from the allocator; the reader charges its work to the meter, or,
   * while it writes, through the answer. `options` has its defaults filled in. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind,
                  const cpb_model_options *options);
  void (*destroy)(void *reader);
  /* Begins a question, whose strings live until the next. It abandons an unfinished question. */
  void (*ask)(void *reader, const cpb_question *question);
  /* CPB_STEP_NEED, CPB_STEP_DONE with the answer written, or CPB_STEP_ERROR. */
  cpb_step (*step)(void *reader, cpb_json_writer *answer, cpb_error *error);
  cpb_input *(*input)(void *reader);
  /* Whether models of that kind can answer the question; `ask` gets no others. */
  bool (*answers)(cpb_model_kind kind, cpb_question_kind question);

  /* Only some kinds have these; NULL for the others. */

  /* As in cpb/model.h. */
  int (*set_keras_metadata)(void *reader, const void *data, size_t size);
  int (*set_fingerprint)(void *reader, const void *data, size_t size);
  void (*note_damage)(void *reader, const char *message);
  /* The table lives until another one is set. False if models of the kind have no operators. */
  bool (*set_operators)(void *reader, cpb_span table);
  int (*set_checkpoint)(void *reader, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size);
  /* The plan of the last answer; empty for most questions. */
  const cpb_pieces *(*pieces)(const void *reader, cpb_cut_file file);
} cpb_model_reader;

#endif

/* The reader of a model with a view (model/common/model_reader.h): reads its message at the first question, without
 * what tensors hold, and lets the questions answer from that. */
#ifndef CPB_MODEL_QUESTIONS_READER_H
#define CPB_MODEL_QUESTIONS_READER_H

#include "model/common/model_reader.h"
#include "model/questions/questions.h"

void *cpb_viewed_create(const cpb_allocator *a, cpb_meter *meter, const cpb_viewed_kind *kind,
                        const cpb_model_options *options);
void cpb_viewed_destroy(void *reader);
void cpb_viewed_ask(void *reader, const cpb_question *question);
cpb_step cpb_viewed_step(void *reader, cpb_json_writer *answer, cpb_error *error);
cpb_input *cpb_viewed_input(void *reader);
bool cpb_viewed_answers(cpb_model_kind kind, cpb_question_kind question);
void cpb_viewed_note_damage(void *reader, const char *message);

/* All of it but `create`. */
#define CPB_VIEWED_READER                                                                                   \
  .destroy = cpb_viewed_destroy, .ask = cpb_viewed_ask, .step = cpb_viewed_step, .input = cpb_viewed_input, \
  .answers = cpb_viewed_answers, .note_damage = cpb_viewed_note_damage

#endif

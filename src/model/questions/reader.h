/* The reader of a model that is one message (model/common/model_reader.h): reads it at the first question, without what
 * tensors hold, and lets the questions answer from that. */
#ifndef CPB_MODEL_QUESTIONS_READER_H
#define CPB_MODEL_QUESTIONS_READER_H

#include "base/input.h"
#include "model/common/model_reader.h"
#include "model/common/part.h"
#include "model/questions/questions.h"

typedef struct cpb_viewed_message {
  cpb_viewed viewed;
  const struct cpb_viewed_kind *kind;
  cpb_model_options options;
  cpb_limits limits;
  cpb_input no_input;
  cpb_error damage; /* of the input, from the host */

  cpb_part part; /* the model's message, without its large values */
  /* How that is read, unless they are 0: as for an outline (cpb/outline.h), and what is passed over of it. */
  uint64_t read_ahead;
  const cpb_outline_jumps *jumps;
  void *jumps_context;

  bool has_graphs;
  cpb_problems graph_problems;
  const char *empty; /* a problem of a model that has nothing, or NULL; known with the graphs */
} cpb_viewed_message;

/* What the reader of a kind does besides. */
typedef struct cpb_viewed_kind {
  const cpb_view_kind *view;
  const cpb_message_type *type; /* what is read of its message */
  /* Its own state, which the view knows. NULL when memory is short. Not there: it has none. */
  void *(*create)(cpb_viewed_message *model);
  void (*destroy)(cpb_viewed_message *model);
  /* Before the question is read: true if the model is to be read anew. Not there: never. */
  bool (*prepare)(cpb_viewed_message *model, const cpb_question *question);
  /* After it is read: whether that is not enough, and all of it must be read. Not there: never. */
  bool (*needs_more)(cpb_viewed_message *model);
  void (*forget)(cpb_viewed_message *model); /* what it knows of the message */
  /* The graphs of the message. False with the error set. */
  bool (*build)(cpb_viewed_message *model);
  void (*write_overview)(cpb_viewed *model);
  void (*write_end)(cpb_viewed *model);          /* further members of each answer; NULL: none */
  const char *(*missing)(cpb_span message);      /* what follows where a damaged model ends */
  const char *(*lost_of)(uint32_t field);        /* what that field of the message is */
  const char *(*empty)(const cpb_viewed *model); /* a problem of one that is whole, but has nothing; or NULL */
} cpb_viewed_kind;

void *cpb_viewed_create(const cpb_allocator *a, cpb_meter *meter, const cpb_viewed_kind *kind,
                        const cpb_model_options *options);
void cpb_viewed_destroy(void *reader);
void cpb_viewed_ask(void *reader, const cpb_question *question);
cpb_step cpb_viewed_step(void *reader, cpb_json_writer *answer, cpb_error *error);
cpb_input *cpb_viewed_input(void *reader);
bool cpb_viewed_answers(cpb_model_kind kind, cpb_question_kind question);
void cpb_viewed_note_damage(void *reader, const char *message);
bool cpb_viewed_set_operators(void *reader, cpb_span table);

/* All of it but `create`. */
#define CPB_VIEWED_READER                                                                                   \
  .destroy = cpb_viewed_destroy, .ask = cpb_viewed_ask, .step = cpb_viewed_step, .input = cpb_viewed_input, \
  .answers = cpb_viewed_answers, .note_damage = cpb_viewed_note_damage, .set_operators = cpb_viewed_set_operators

#endif

/* Reads a model that is one message (model/common/kind.h): at the first question it reads the message without
 * the values of tensors; the questions then answer from memory. */
#ifndef CPB_MODEL_QUESTIONS_READER_H
#define CPB_MODEL_QUESTIONS_READER_H

#include "base/input.h"
#include "model/common/kind.h"
#include "model/common/part.h"
#include "model/questions/questions.h"

typedef struct cpb_viewed_message {
  cpb_viewed viewed;
  const struct cpb_viewed_kind *kind;
  cpb_model_options options;
  cpb_limits limits;
  cpb_input no_input;
  cpb_error damage; /* from the host, about the input */

  cpb_part part; /* the model's message, without its large values */
  /* How the message is read, unless 0: like an outline (cpb/outline.h), with jumps over parts of it. */
  uint64_t read_ahead;
  const cpb_outline_jumps *jumps;
  void *jumps_context;

  bool has_graphs;
  cpb_problems graph_problems;
  const char *empty; /* the problem of an empty model, or NULL; known once the graphs are built */
} cpb_viewed_message;

/* The functions that a kind of model adds to the reader. */
typedef struct cpb_viewed_kind {
  const cpb_view_kind *view;
  const cpb_message_type *type; /* the parts of its message to read */
  /* Creates the kind's own state, which the view refers to. Returns NULL if memory is short. NULL: no state. */
  void *(*create)(cpb_viewed_message *model);
  void (*destroy)(cpb_viewed_message *model);
  /* Called before a question: returns true if the model must be read again. NULL: never. */
  bool (*prepare)(cpb_viewed_message *model, const cpb_question *question);
  /* Called after reading: returns whether that was not enough, so the entire model must be read. NULL: never. */
  bool (*needs_more)(cpb_viewed_message *model);
  void (*forget)(cpb_viewed_message *model); /* frees its data about the message */
  /* Builds the graphs from the message. False with the error set. */
  bool (*build)(cpb_viewed_message *model);
  void (*write_overview)(cpb_viewed *model);
  void (*write_end)(cpb_viewed *model);          /* writes further members of each answer; NULL: none */
  const char *(*missing)(cpb_span message);      /* tells which parts follow the end of a truncated model */
  const char *(*lost_of)(uint32_t field);        /* describes that field of the message */
  const char *(*empty)(const cpb_viewed *model); /* the problem of a complete but empty model; or NULL */
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

/* All members of it but `create`. */
#define CPB_VIEWED_READER                                                                                   \
  .destroy = cpb_viewed_destroy, .ask = cpb_viewed_ask, .step = cpb_viewed_step, .input = cpb_viewed_input, \
  .answers = cpb_viewed_answers, .note_damage = cpb_viewed_note_damage, .set_operators = cpb_viewed_set_operators

#endif

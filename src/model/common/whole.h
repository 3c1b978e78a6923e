/* A model whose structure is read as a whole at the first question: what the readers of such kinds have in common. */
#ifndef CPB_MODEL_COMMON_WHOLE_H
#define CPB_MODEL_COMMON_WHOLE_H

#include "base/input.h"
#include "base/json_writer.h"
#include "base/meter.h"
#include "cpb/model.h"
#include "model/common/part.h"
#include "model/common/problems.h"

typedef struct cpb_whole {
  cpb_allocator allocator;
  cpb_meter *meter;
  cpb_model_options options;
  cpb_limits limits;
  cpb_input no_input;
  cpb_error damage; /* of the input, from the host */

  cpb_part part; /* the model's message, without its large values */
  /* How that is read, unless they are 0: as for an outline (cpb/outline.h), and what is passed over of it. */
  uint64_t read_ahead;
  const cpb_outline_jumps *jumps;
  void *jumps_context;

  cpb_question question;
  cpb_json_writer *answer; /* these two during a step */
  cpb_error *error;
  cpb_problems problems; /* of this question */
} cpb_whole;

void cpb_whole_init(cpb_whole *whole, const cpb_allocator *a, cpb_meter *meter, const cpb_model_options *options);
void cpb_whole_free(cpb_whole *whole);

/* As in model_reader.h. */
void cpb_whole_ask(cpb_whole *whole, const cpb_question *question);
cpb_input *cpb_whole_input(cpb_whole *whole);
void cpb_whole_note_damage(cpb_whole *whole, const char *message);

/* Begins a step: reads the message, of this type. CPB_STEP_DONE when it is there, perhaps up to damage. */
cpb_step cpb_whole_read(cpb_whole *whole, const cpb_message_type *type, cpb_json_writer *answer, cpb_error *error);

/* Adds what is wrong with the input, if anything is. `missing_in` says what follows where the message ends, and is
 * called once; `lost_of` in what bytes are lost that lie in that field of the message. */
void cpb_whole_add_damage(cpb_whole *whole, cpb_problems *problems, const char *(*missing_in)(cpb_span message),
                          const char *(*lost_of)(uint32_t field));

/* Both return false, for use in conditions. */
bool cpb_whole_fail_memory(cpb_whole *whole);
/* CPB_E_NOT_FOUND: "there is no WHAT \"NAME\""; of a damaged model with what is wrong with it. */
bool cpb_whole_not_found(cpb_whole *whole, const char *what, cpb_span name);

#endif

/* The state of a cpb_opened. */
#ifndef CPB_CHUNKED_OPENED_OPENED_STATE_H
#define CPB_CHUNKED_OPENED_OPENED_STATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/input.h"
#include "cpb/opened.h"

/* A message of an error, and its place in the file. */
#define CPB_OPENED_DAMAGE (sizeof((cpb_error *)0)->message + 32)

typedef enum cpb_opened_state {
  CPB_OPENED_LOOKS, /* at how the file begins */
  CPB_OPENED_READS_INDEX,
  CPB_OPENED_PLANS,
  CPB_OPENED_READY
} cpb_opened_state;

typedef enum cpb_opened_request {
  CPB_REQUEST_NONE, /* the message needs only be planned */
  CPB_REQUEST_READ,
  CPB_REQUEST_VIEW,
  CPB_REQUEST_ANSWER,
  CPB_REQUEST_FIND
} cpb_opened_request;

struct cpb_opened {
  cpb_allocator allocator;
  cpb_opened_options options;
  cpb_limits limits;
  cpb_error error;
  cpb_opened_state state;
  cpb_opened_request request;
  cpb_input input;  /* of the file's beginning, and of a plain message */
  cpb_input *waits; /* the input of the last CPB_STEP_NEED: this one, that of a part, or of the engine to answer */
  uint8_t beginning[8];
  size_t beginning_size;
  cpb_index *index; /* NULL: the file is the message */
  const cpb_chunk_bytes *chunks;
  size_t num_chunks;
  cpb_merge *merge; /* has the plan, or makes it */
  cpb_merge *fork;  /* reads, once reading has failed; else NULL */
  bool is_planned;
  bool is_reading;   /* the merge reads for the request */
  cpb_buffer window; /* of the merged message, from `begin` on */
  uint64_t begin;
  uint64_t at, left; /* the range to read */
  cpb_span data;
  cpb_input *asker; /* the engine to answer */
  bool is_passed;   /* its need was passed on to the host */
  const cpb_message_type *type;
  const cpb_path *path; /* to find */
  bool is_partial;      /* the plan is for this field only */
  cpb_find *find;
  char damage[CPB_OPENED_DAMAGE]; /* that planning has found; "" for none */
};

/* --- opened step ------------------------------------------------------------------------------ */

/* How the files of this folder end a step. */

/* Return CPB_STEP_NEED, and CPB_STEP_ERROR with an error that is set already or this one. */
cpb_step cpb_opened_need(cpb_opened *o, cpb_input *input);
cpb_step cpb_opened_fail(cpb_opened *o, const cpb_error *error);
cpb_step cpb_opened_fail_memory(cpb_opened *o);

/* Describes the damage and its place in the file, which offsets in the message cannot show. */
void cpb_opened_describe(char *text, const cpb_error *damage);

/* --- opened read ------------------------------------------------------------------------------ */

/* Requests for bytes of a message that is planned. */

cpb_step cpb_opened_read_on(cpb_opened *o);
cpb_step cpb_opened_look_at(cpb_opened *o);

/* CPB_STEP_DONE: the engine that asks has its bytes. */
cpb_step cpb_opened_answer_now(cpb_opened *o);

#endif

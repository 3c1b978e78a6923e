/* Requests for bytes of a message that is planned. */
#ifndef CPB_CHUNKED_OPENED_OPENED_READ_H
#define CPB_CHUNKED_OPENED_OPENED_READ_H

#include "chunked/opened/opened_state.h"

cpb_step cpb_opened_read_on(cpb_opened *o);
cpb_step cpb_opened_look_at(cpb_opened *o);

/* CPB_STEP_DONE: the engine that asks has its bytes. */
cpb_step cpb_opened_answer_now(cpb_opened *o);

#endif

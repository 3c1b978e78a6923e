/* How the files of this folder end a step. */
#ifndef CPB_CHUNKED_OPENED_OPENED_STEP_H
#define CPB_CHUNKED_OPENED_OPENED_STEP_H

#include "chunked/opened/opened_state.h"

/* Return CPB_STEP_NEED, and CPB_STEP_ERROR with an error that is set already or this one. */
cpb_step cpb_opened_need(cpb_opened *o, cpb_input *input);
cpb_step cpb_opened_fail(cpb_opened *o, const cpb_error *error);
cpb_step cpb_opened_fail_memory(cpb_opened *o);

/* Describes the damage and its place in the file, which offsets in the message cannot show. */
void cpb_opened_describe(char *text, const cpb_error *damage);

#endif

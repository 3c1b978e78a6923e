/* What of a transposed chunk a projection needs. */
#ifndef CPB_RIEGELI_TRANSPOSE_PROJECT_H
#define CPB_RIEGELI_TRANSPOSE_PROJECT_H

#include "riegeli/projection.h"
#include "riegeli/transpose/program.h"

/* Turns the nodes of fields that are not wanted into CPB_OP_LEFT_OUT, and says what each buffer is
 * (CPB_BUFFER_NEEDED), before any is loaded. `*filter`: the records that the machine then makes may still have
 * fields that are not wanted. `*use` is NULL if all is needed. */
bool cpb_transpose_project(cpb_transpose_program *program, const cpb_projection *projection, const uint8_t **use,
                           bool *filter);

#endif

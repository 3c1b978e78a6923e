/* Finds the parts of a transposed chunk that a projection needs. */
#ifndef CPB_RIEGELI_TRANSPOSE_PROJECT_H
#define CPB_RIEGELI_TRANSPOSE_PROJECT_H

#include "riegeli/projection.h"
#include "riegeli/transpose/program.h"

/* Turns the nodes of unselected fields into CPB_OP_LEFT_OUT, and marks each buffer (CPB_BUFFER_NEEDED), before any is
 * loaded. `*filter`: the machine's records may still have unselected fields. `*use` is NULL if everything is needed. */
bool cpb_transpose_project(cpb_transpose_program *program, const cpb_projection *projection, const uint8_t **use,
                           bool *filter);

#endif

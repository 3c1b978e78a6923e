/* The run of the state machine. */
#ifndef CPB_RIEGELI_TRANSPOSE_MACHINE_H
#define CPB_RIEGELI_TRANSPOSE_MACHINE_H

#include "riegeli/transpose/program.h"
#include "riegeli/transpose/transposed.h"

/* Fills `out`, which is empty; after a failure it is to be reset. It uses up the buffers of the
 * program. */
bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out);

#endif

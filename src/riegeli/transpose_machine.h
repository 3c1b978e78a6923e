/* Runs the state machine of a transposed chunk. */
#ifndef CPB_RIEGELI_TRANSPOSE_MACHINE_H
#define CPB_RIEGELI_TRANSPOSE_MACHINE_H

#include "riegeli/transpose.h"
#include "riegeli/transpose_program.h"

/* Fills `out`'s values, ends and num_records, which are the caller's to free
 * also on failure. The program's buffers are used up. */
bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out);

#endif

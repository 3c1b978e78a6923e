/* Runs the state machine of a transposed chunk. */
#ifndef CPB_RIEGELI_TRANSPOSE_MACHINE_H
#define CPB_RIEGELI_TRANSPOSE_MACHINE_H

#include "riegeli/transpose/program.h"
#include "riegeli/transpose/transposed.h"

/* Fills `out`'s values, ends and num_records; on failure `out` is untouched. The
 * program's buffers are used up. */
bool cpb_transpose_run(cpb_transpose_program *program, cpb_transposed *out);

#endif

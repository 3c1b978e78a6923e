/* The buckets of a transposed chunk, cut into buffers. */
#ifndef CPB_RIEGELI_TRANSPOSE_BUFFERS_H
#define CPB_RIEGELI_TRANSPOSE_BUFFERS_H

#include "riegeli/transpose/program.h"

/* The header's first part: buckets (which follow it in `data`, and are taken
 * off its front) and the buffers in them. */
bool cpb_transpose_parse_buffers(cpb_transpose_program *program, cpb_transpose_cursor *header, cpb_span *data);

#endif

/* The buffers of a transposed chunk: buckets are compressed together, and then cut into buffers. */
#ifndef CPB_RIEGELI_TRANSPOSE_BUFFERS_H
#define CPB_RIEGELI_TRANSPOSE_BUFFERS_H

#include "riegeli/transpose/program.h"

/* Parses the first part of the header, with the sizes, and takes the buckets off the front of
 * `data`. */
bool cpb_transpose_parse_buffers(cpb_transpose_program *program, cpb_transpose_cursor *header,
                                 cpb_transpose_cursor *data);

#endif

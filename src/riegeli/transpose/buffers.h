/* The buffers of a transposed chunk: buckets are compressed together, and then cut into buffers. */
#ifndef CPB_RIEGELI_TRANSPOSE_BUFFERS_H
#define CPB_RIEGELI_TRANSPOSE_BUFFERS_H

#include "riegeli/transpose/program.h"

/* Parses the first part of the header, with the sizes, and takes the buckets off the front of
 * `data`. */
bool cpb_transpose_parse_buffers(cpb_transpose_program *program, cpb_transpose_cursor *header,
                                 cpb_transpose_cursor *data);

/* Decompresses the buckets that have a needed buffer, and cuts them into buffers; the others stay compressed, and their
 * buffers empty. `use` marks the buffers (CPB_BUFFER_NEEDED); NULL: all are needed. */
bool cpb_transpose_load_buffers(cpb_transpose_program *program, const uint8_t *use);

#endif

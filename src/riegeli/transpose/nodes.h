/* The nodes of a transposed chunk's state machine. */
#ifndef CPB_RIEGELI_TRANSPOSE_NODES_H
#define CPB_RIEGELI_TRANSPOSE_NODES_H

#include "riegeli/transpose/program.h"

/* The header's second part: the nodes. */
bool cpb_transpose_parse_nodes(cpb_transpose_program *program, cpb_transpose_cursor *header);

#endif

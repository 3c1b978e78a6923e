/* The nodes of the state machine, from the header of a transposed chunk. */
#ifndef CPB_RIEGELI_TRANSPOSE_NODES_H
#define CPB_RIEGELI_TRANSPOSE_NODES_H

#include "riegeli/transpose/program.h"

/* Parses the second part of the header. */
bool cpb_transpose_parse_nodes(cpb_transpose_program *program, cpb_transpose_cursor *header);

#endif

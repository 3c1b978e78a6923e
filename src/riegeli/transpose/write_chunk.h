#ifndef CPB_RIEGELI_TRANSPOSE_WRITE_CHUNK_H
#define CPB_RIEGELI_TRANSPOSE_WRITE_CHUNK_H

#include "riegeli/transpose/encoder_state.h"

/* After the nodes were made: writes buffers, nodes and transitions to `head` and `body`. */
bool cpb_transpose_write_chunk(cpb_transpose_encoder *e, cpb_compressor *compressor, uint64_t bucket_size);

#endif

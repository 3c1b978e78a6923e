/* What the library's own users of a chunk reader may know beside cpb/chunked.h. */
#ifndef CPB_CHUNKED_READ_CHUNK_READER_H
#define CPB_CHUNKED_READ_CHUNK_READER_H

#include "cpb/chunked.h"

/* The hash in the header of the Riegeli chunk, from when cpb_chunk_reader_stored() is known. */
uint64_t cpb_chunk_reader_data_hash(const cpb_chunk_reader *reader);

#endif

/* Functions of a chunk reader for the library itself, in addition to cpb/chunked.h. */
#ifndef CPB_CHUNKED_READ_CHUNK_READER_H
#define CPB_CHUNKED_READ_CHUNK_READER_H

#include "cpb/chunked.h"

/* The hash in the header of the Riegeli chunk; valid once cpb_chunk_reader_stored() has an answer. */
uint64_t cpb_chunk_reader_data_hash(const cpb_chunk_reader *reader);

#endif

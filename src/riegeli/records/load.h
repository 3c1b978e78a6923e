/* A chunk, from its header to its first record, and the bytes of its records. */
#ifndef CPB_RIEGELI_RECORDS_LOAD_H
#define CPB_RIEGELI_RECORDS_LOAD_H

#include "riegeli/records/reader_state.h"

/* Reads and checks the chunk under the source as far as its first record, or
 * to its end when it holds none. */
cpb_have cpb_reader_load(cpb_record_reader *r);
void cpb_reader_unload(cpb_record_reader *r);

/* Decoded bytes into r->ready (at least one; at most `max` are asked for). */
cpb_have cpb_reader_fill(cpb_record_reader *r, uint64_t max);
/* Leaves out r->skip decoded bytes. */
cpb_have cpb_reader_skip(cpb_record_reader *r);
/* Moves on to record `index` of the loaded chunk. False when it lies behind
 * what is still there. */
bool cpb_reader_move(cpb_record_reader *r, uint64_t index);

#endif

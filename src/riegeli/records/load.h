/* How a record reader gets at the records of a chunk: it verifies and decodes. */
#ifndef CPB_RIEGELI_RECORDS_LOAD_H
#define CPB_RIEGELI_RECORDS_LOAD_H

#include "riegeli/records/reader_state.h"

/* Reads and checks the chunk that the source is at up to its first record, or to its end if it
 * has none. */
cpb_have cpb_reader_load(cpb_record_reader *r);
void cpb_reader_unload(cpb_record_reader *r);

/* Gets decoded bytes into r->ready, at least one; `max` as for cpb_simple_decoder_fill(). */
cpb_have cpb_reader_fill(cpb_record_reader *r, uint64_t max);
/* Skips r->skip decoded bytes. */
cpb_have cpb_reader_skip(cpb_record_reader *r);
/* Goes to record `index` of the loaded chunk. False when it comes before the current one and its
 * bytes are gone. */
bool cpb_reader_move(cpb_record_reader *r, uint64_t index);
/* Whether the records of the loaded chunk are all in memory: to go back among them costs nothing. */
bool cpb_reader_holds_records(const cpb_record_reader *r);

#endif

/* How a record writer puts records into chunks. */
#ifndef CPB_RIEGELI_RECORDS_FILL_CHUNKS_H
#define CPB_RIEGELI_RECORDS_FILL_CHUNKS_H

#include "riegeli/records/writer_state.h"

/* The most frequent case, between records: adds one to a chunk that has some, and does not
 * fill it. False: it needs cpb_writer_begin_record(). */
bool cpb_writer_append(cpb_record_writer *w, cpb_span record);

/* The work of a public call. Each is called when all output was taken, and returns true when the work is done; until
 * then it is called again, unless there is an error. */

/* Begins a record of w->record_size bytes. */
bool cpb_writer_begin_record(cpb_record_writer *w);
/* Writes w->input into it. */
bool cpb_writer_write_input(cpb_record_writer *w);
/* Writes the records of w->batch. */
bool cpb_writer_write_batch(cpb_record_writer *w);

/* Encodes and outputs the chunk, which has records. */
void cpb_writer_close_chunk(cpb_record_writer *w);

#endif

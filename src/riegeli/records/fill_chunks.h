/* The records of a record writer, and the chunks they fill. */
#ifndef CPB_RIEGELI_RECORDS_FILL_CHUNKS_H
#define CPB_RIEGELI_RECORDS_FILL_CHUNKS_H

#include "riegeli/records/writer_state.h"

/* Between records, as most often: adds one to a chunk that is under way and that it
 * does not fill. False: it takes the work of a call. */
bool cpb_writer_append(cpb_record_writer *w, cpb_span record);

/* The work of a call; each is called when there is no output left, and returns true
 * when it is done. Until then it is called again, unless there is an error. */

/* Begins a record of w->record_size bytes. */
bool cpb_writer_begin_record(cpb_record_writer *w);
/* Puts w->input into it. */
bool cpb_writer_write_input(cpb_record_writer *w);
/* Puts the records of w->batch into chunks. */
bool cpb_writer_write_batch(cpb_record_writer *w);

/* The chunk, which has records, gets no more. */
void cpb_writer_close_chunk(cpb_record_writer *w);

#endif

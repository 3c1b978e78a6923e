/* The state machine of the record reader. */
#ifndef CPB_RIEGELI_RECORDS_READER_H
#define CPB_RIEGELI_RECORDS_READER_H

#include "riegeli/records/reader_state.h"

/* A reader within another engine, whose meter it charges. NULL: one of its own. Its memory is a
 * decoder's, and not counted as held. */
cpb_record_reader *cpb_record_reader_new_within(const cpb_allocator *a, const cpb_record_reader_options *options,
                                                cpb_meter *meter);

/* The next step when the loaded chunk has nothing to give at once. */
cpb_step cpb_reader_step_on(cpb_record_reader *r);

/* Like a step to the sought record, but only as far as the header of its chunk and the codec: nothing is decoded.
 * CPB_STEP_RECORD then means that the chunk is known. */
cpb_step cpb_reader_step_to_head(cpb_record_reader *r);

/* Between records: goes to the next one, as far as the bytes are lent. False if this needs a step, or has another
 * result than a record. */
bool cpb_reader_come_to_record(cpb_record_reader *r);

#endif

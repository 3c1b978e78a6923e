/* The record reader's machine. */
#ifndef CPB_RIEGELI_RECORDS_READER_H
#define CPB_RIEGELI_RECORDS_READER_H

#include "riegeli/records/reader_state.h"

/* The next step, when nothing is at hand. */
cpb_step cpb_reader_step_on(cpb_record_reader *r);

/* Between records: goes on to the next one within what is lent. False when it takes
 * a step to get there, or to say why there is none. */
bool cpb_reader_come_to_record(cpb_record_reader *r);

#endif

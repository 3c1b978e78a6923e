/* Where the records of a loaded chunk begin. */
#ifndef CPB_RIEGELI_RECORDS_PLACES_H
#define CPB_RIEGELI_RECORDS_PLACES_H

#include "riegeli/records/reader_state.h"

/* The number of decoded bytes that were returned or skipped. */
uint64_t cpb_reader_consumed(const cpb_record_reader *r);

/* Where record `index` begins, which may be the number of records. */
cpb_record_place cpb_reader_find(cpb_record_reader *r, uint64_t index);

#endif

/* The ways to a position and to the last record. */
#ifndef CPB_RIEGELI_RECORDS_SEEK_H
#define CPB_RIEGELI_RECORDS_SEEK_H

#include "riegeli/records/reader_state.h"

/* As cpb_record_reader_seek, for who knows more: the chunk around `position`
 * probably begins at `begin`, and of it the bytes before `end` will be read (0:
 * not known). If it does begin there, nothing else is asked for. */
void cpb_reader_seek_chunk(cpb_record_reader *r, uint64_t position, uint64_t begin, uint64_t end);

/* One step of the SEEK and LAST phases. CPB_AT_END: past the end. */
cpb_have cpb_reader_seek(cpb_record_reader *r);

#endif

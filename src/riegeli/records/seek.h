/* Seeking: to a record position, and to the last record. */
#ifndef CPB_RIEGELI_RECORDS_SEEK_H
#define CPB_RIEGELI_RECORDS_SEEK_H

#include "riegeli/records/reader_state.h"

/* cpb_record_reader_seek() for a caller that knows where the chunk of `position` probably begins, and up to where it
 * will read (`end`; 0: unknown). If the chunk begins there, nothing else is requested. */
void cpb_reader_seek_chunk(cpb_record_reader *r, uint64_t position, uint64_t begin, uint64_t end);

/* Gives up the loaded chunk, to go elsewhere. */
void cpb_reader_leave(cpb_record_reader *r);

/* Does the work of the SEEK and LAST phases. CPB_AT_END: the target is past the end. */
cpb_have cpb_reader_seek(cpb_record_reader *r);

#endif

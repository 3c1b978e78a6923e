/* After a failure, before it is reported: was the reader right to interpret those bytes at all?
 *
 * Seeking finds the last block header first, and in a file of another format whatever is there. So,
 * unless some header has matched its hash, the reader looks at what the file begins with.
 *
 * And data that is decoded while it is hashed may fail before its hash does. So the rest of it is
 * hashed, too: the verdict is then the same as where the hash came first, because the host had lent
 * all of the chunk. */
#ifndef CPB_RIEGELI_RECORDS_DOUBT_H
#define CPB_RIEGELI_RECORDS_DOUBT_H

#include "riegeli/records/reader_state.h"

/* Whether the source's error is doubted: then the next phase is one of the two. */
bool cpb_reader_doubts(cpb_record_reader *r);

/* CPB_FAILED, in the phase that had failed, with the error that it had or the one that explains it.
 * Or CPB_WAIT. */
cpb_have cpb_reader_doubt_file(cpb_record_reader *r);
cpb_have cpb_reader_doubt_data(cpb_record_reader *r);

#endif

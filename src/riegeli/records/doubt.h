/* After a failure, before it is reported: was the reader right to interpret those bytes at all?
 *
 * Seeking begins with the last block header, and in a file of another format that place has arbitrary bytes. So, unless
 * some header has matched its hash, the reader checks the beginning of the file.
 *
 * Data that is decoded while it is hashed may fail before its hash does. So the rest of it is hashed as well: the
 * verdict is then the same as if the hash had come first, because the host had lent the entire chunk. */
#ifndef CPB_RIEGELI_RECORDS_DOUBT_H
#define CPB_RIEGELI_RECORDS_DOUBT_H

#include "riegeli/records/reader_state.h"

/* Whether the source's error is doubted: then sets one of the two phases. */
bool cpb_reader_doubts(cpb_record_reader *r);

/* CPB_FAILED, in the phase that had failed, with its error or the one that explains it. Or CPB_WAIT. */
cpb_have cpb_reader_doubt_file(cpb_record_reader *r);
cpb_have cpb_reader_doubt_data(cpb_record_reader *r);

#endif

/* The state of the files that an answer is made of. */
#ifndef CPB_HTTP_STATE_H
#define CPB_HTTP_STATE_H

#include "job.h"

#define STATE_ETAG 64

/* The ETag of the answer, or "": strong if those of all files are, weak if one is weak or only a date, empty if a file
 * has neither. For an answer that depends on no file, it depends on `text`. */
void state_etag(const job *j, cpb_span text, char out[STATE_ETAG]);

/* The date of the only file that the answer depends on; "" if unknown, or if there are several files. */
const char *state_date(const job *j);

/* Answers requests that need no more than the state of the files: that nothing has changed (304), and HEAD. False if
 * the answer must be made. */
bool state_answer(job *j);

/* Forgets all files. */
void state_forget(void);

#endif

/* The state of the files that an answer depends on. */
#ifndef CPB_HTTP_STATE_H
#define CPB_HTTP_STATE_H

#include "job.h"

#define STATE_ETAG 64

/* The ETag of the answer: strong if those of all files are, weak if a file has a weak one or only a date, and "" if a
 * file has neither. The ETag of an answer that depends on no file is derived from `text`. */
void state_etag(const job *j, cpb_span text, char out[STATE_ETAG]);

/* When the answer's only file was changed; "" if this is not known, or the answer depends on several files. */
const char *state_date(const job *j);

/* Answers requests that need only a check of the files: 304 if nothing has changed, and HEAD. False if the answer
 * has to be made. */
bool state_answer(job *j);

/* Forgets all files. */
void state_forget(void);

#endif

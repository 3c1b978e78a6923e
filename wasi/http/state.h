/* The state of the files that an answer is made of. */
#ifndef CPB_HTTP_STATE_H
#define CPB_HTTP_STATE_H

#include "job.h"

#define STATE_ETAG 64

/* The ETag of the answer: strong if those of all files are, weak if a file has a weak one or only a date, and "" if a
 * file has neither. The ETag of an answer that depends on no file is derived from `text`. */
void state_etag(const job *j, cpb_span text, char out[STATE_ETAG]);

/* When the one file was changed that the answer is made of; "" where that is not known, or there are several. */
const char *state_date(const job *j);

/* Answers what needs no more than a look at the files: that nothing has changed (304), and what a HEAD asks. False
 * where the answer has to be made. */
bool state_answer(job *j);

/* Forgets all files. */
void state_forget(void);

#endif

/* From a question to its answer, in steps that go on where bytes were missing: the tag and those of its parts that are
 * needed, the answer's draft, and what is read to fill its gaps. */
#ifndef CPB_MODEL_SAMEDIFF_STEPS_H
#define CPB_MODEL_SAMEDIFF_STEPS_H

#include "model/samediff/reply.h"

/* CPB_HAVE: the answer is whole. */
cpb_have cpb_sd_go_on(cpb_sd_reply *reply, cpb_json_writer *answer);

#endif

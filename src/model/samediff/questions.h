/* The questions about a SameDiff model that have an answer. */
#ifndef CPB_MODEL_SAMEDIFF_QUESTIONS_H
#define CPB_MODEL_SAMEDIFF_QUESTIONS_H

#include "model/samediff/reply.h"

/* NULL when such a question has no answer. */
const cpb_sd_plan *cpb_sd_find_plan(cpb_question_kind kind);

#endif

/* The questions about a SameDiff model: those of every kind (model/questions), its overview, and all contents of a
 * tag. */
#ifndef CPB_MODEL_SAMEDIFF_QUESTIONS_H
#define CPB_MODEL_SAMEDIFF_QUESTIONS_H

#include "model/samediff/reply.h"

bool cpb_sd_answers(cpb_question_kind kind);
/* CPB_SD_...: the parts to read first. */
unsigned cpb_sd_parts_of(cpb_question_kind kind);

/* All of the answer; the error may be set. */
void cpb_sd_write_answer(cpb_sd_reply *reply);

#endif

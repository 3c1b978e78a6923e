/* The questions about a Core ML model that have an answer. Each function writes the answer's members; failing is
 * setting the error. */
#ifndef CPB_MODEL_COREML_ASK_QUESTIONS_H
#define CPB_MODEL_COREML_ASK_QUESTIONS_H

#include "model/coreml/state.h"

typedef void cpb_coreml_write(cpb_coreml_model *m);

/* NULL when such a question has no answer. */
cpb_coreml_write *cpb_coreml_find_question(cpb_question_kind kind);

#endif

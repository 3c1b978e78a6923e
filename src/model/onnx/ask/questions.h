/* The questions about an ONNX model that have an answer. Each function writes the answer's members; failing is
 * setting m->whole.error. */
#ifndef CPB_MODEL_ONNX_ASK_QUESTIONS_H
#define CPB_MODEL_ONNX_ASK_QUESTIONS_H

#include "model/onnx/state.h"

typedef void cpb_onnx_write(cpb_onnx_model *m);

/* NULL when such a question has no answer. */
cpb_onnx_write *cpb_onnx_find_question(cpb_question_kind kind);

#endif

/* Structured values, such as the arguments of a function in Python. */
#ifndef CPB_MODEL_TENSORFLOW_STRUCTURED_H
#define CPB_MODEL_TENSORFLOW_STRUCTURED_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* A StructuredValue; how each kind looks is in docs/inspecting.md. */
void cpb_write_structured(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value);

#endif

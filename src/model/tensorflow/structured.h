/* Structured values, such as the arguments of a function in Python. */
#ifndef CPB_MODEL_TENSORFLOW_STRUCTURED_H
#define CPB_MODEL_TENSORFLOW_STRUCTURED_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* A StructuredValue; how each kind looks is in docs/inspecting.md. */
/* Called within the object of each TensorSpec (`alone`) and of each other TypeSpec, where it may add members, with the
 * number of its tensors; 0 if unknown. */
typedef void (*cpb_structured_leaf)(void *user, cpb_json_writer *answer, bool alone, uint64_t tensors);
void cpb_write_structured_with(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value,
                               cpb_structured_leaf leaf, void *user);

/* The same without. */
void cpb_write_structured(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value);

#endif

/* The values of a tensor that are in another file, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_EXTERNAL_H
#define CPB_MODEL_COMMON_TENSOR_EXTERNAL_H

#include "model/common/cursor.h"
#include "model/common/tensor/values_state.h"

/* Where values are, from the entries {"key", "value"} of ONNX's external_data. */
typedef struct cpb_external {
  cpb_span location, checksum; /* spans of the message; empty if absent */
  uint64_t offset, length;
  bool has_length;
  const char *wrong; /* NULL, or its problem */
} cpb_external;

/* Adds an entry. */
void cpb_external_add(cpb_external *external, cpb_span entry);
/* Call it after the last entry. Sets `wrong`. */
void cpb_external_check(cpb_external *external);

/* Reads the entries, and sets `content`, `path` and `has_length`. */
cpb_have cpb_tensor_find_external(cpb_tensor_values *values);
/* Makes that file the one that the input reads. */
void cpb_tensor_turn_to_external(cpb_tensor_values *values);

#endif

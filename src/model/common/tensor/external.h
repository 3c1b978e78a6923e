/* The values of a tensor that are in another file, for values.c. */
#ifndef CPB_MODEL_COMMON_TENSOR_EXTERNAL_H
#define CPB_MODEL_COMMON_TENSOR_EXTERNAL_H

#include "model/common/cursor.h"
#include "model/common/tensor/values_state.h"

/* Where values are, by entries of ONNX's external_data: {"key", "value"}. */
typedef struct cpb_external {
  cpb_span location, checksum; /* of the message; empty if they are not there */
  uint64_t offset, length;
  bool has_length;
  const char *wrong; /* NULL, or what is wrong with it */
} cpb_external;

/* Takes an entry in. */
void cpb_external_add(cpb_external *external, cpb_span entry);
/* After the last: `wrong`. */
void cpb_external_check(cpb_external *external);

/* Reads the entries: `content`, `path` and `has_length`. */
cpb_have cpb_tensor_find_external(cpb_tensor_values *values);
/* What the input reads is that file from now on. */
void cpb_tensor_turn_to_external(cpb_tensor_values *values);

#endif

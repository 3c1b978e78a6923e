/* The first values of a tensor that is in memory, in JSON. */
#ifndef CPB_MODEL_COMMON_TENSOR_PREVIEW_H
#define CPB_MODEL_COMMON_TENSOR_PREVIEW_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/common/tensor/values_state.h"

/* Where the values are, and what they are. */
typedef struct cpb_tensor_preview {
  const cpb_part *part;
  cpb_span message;        /* that has them in its field: */
  uint32_t field, content; /* `content` is the one with all values as they lie in memory; 0: it has none */
  const cpb_tensor_type *type;
  uint64_t dtype; /* for `write` */
  uint64_t elements;
  uint64_t texts; /* how many there are, of a type that is text */
  bool repeats;   /* the last one stands for those that are left out, zero for all; else all must be there */
  /* An element, of format->size bytes; of those that share bytes, as one byte. */
  void (*write)(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);
} cpb_tensor_preview;

/* Members of an object: "preview", the first values, if they are in memory, with "preview_more": true if there
 * are others. */
void cpb_tensor_write_preview(cpb_json_writer *answer, const cpb_tensor_preview *of);

#endif

/* The first values of a tensor in memory, in JSON. */
#ifndef CPB_MODEL_COMMON_TENSOR_PREVIEW_H
#define CPB_MODEL_COMMON_TENSOR_PREVIEW_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/common/tensor/values_state.h"

/* The place and type of the values. */
typedef struct cpb_tensor_preview {
  const cpb_part *part;
  cpb_span message;        /* that has them in its field: */
  uint32_t field, content; /* `content` is the field with all values as in memory; 0: no such field */
  const cpb_tensor_type *type;
  uint64_t dtype; /* for `write` */
  uint64_t elements;
  uint64_t texts; /* number of values of a string type */
  bool repeats;   /* the last one stands for those that are left out, zero if all are; else all must be present */
  /* Writes an element of format->size bytes; one that shares its byte comes as one byte. */
  void (*write)(cpb_json_writer *answer, const char *key, uint64_t dtype, const uint8_t *bytes);
} cpb_tensor_preview;

/* Writes members of an object: "preview", the first values, if they are in memory, with "preview_more": true if there
 * are more. */
void cpb_tensor_write_preview(cpb_json_writer *answer, const cpb_tensor_preview *of);

#endif

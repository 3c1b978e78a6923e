/* Asking the splitters. */
#ifndef CPB_CHUNKED_SPLIT_DECIDE_H
#define CPB_CHUNKED_SPLIT_DECIDE_H

#include "cpb/split.h"

typedef struct cpb_split_rules {
  const cpb_splitter *splitters; /* the caller's */
  size_t num_splitters;
  uint64_t max_chunk_size, inline_max;
} cpb_split_rules;

/* The decision of the first splitter that makes one: the caller's, then TensorFlow's, then the generic rule. Zeros are
 * replaced by their defaults. If `peek` exceeds field->data_size, the caller must ask again with that many bytes. */
void cpb_split_decide(const cpb_split_rules *rules, const cpb_split_field *field, cpb_split_decision *decision);

#endif

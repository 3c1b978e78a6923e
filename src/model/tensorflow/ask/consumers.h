/* CONSUMERS: which nodes take a tensor. */
#ifndef CPB_MODEL_TENSORFLOW_ASK_CONSUMERS_H
#define CPB_MODEL_TENSORFLOW_ASK_CONSUMERS_H

#include "model/tensorflow/state.h"

void cpb_ask_consumers(cpb_saved_model *m);
/* "consumers": what takes the node or argument of that name. */
void cpb_write_consumers(cpb_saved_model *m, uint32_t function, cpb_span name);
/* Takes the ":1" from the end of what follows the node in "a:1" and "a:output:1". */
uint64_t cpb_take_output_index(cpb_span *rest);

#endif

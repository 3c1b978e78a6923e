/* NODES: those of a graph. */
#ifndef CPB_MODEL_ONNX_ASK_NODES_H
#define CPB_MODEL_ONNX_ASK_NODES_H

#include "model/onnx/state.h"

void cpb_onnx_nodes(cpb_onnx_model *m);

/* "metadata": the entries of field `number` as a list of {"key", "value"}; nothing if there are none. */
void cpb_onnx_write_metadata(cpb_json_writer *answer, cpb_span message, uint32_t number);

#endif

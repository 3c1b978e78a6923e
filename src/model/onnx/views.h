/* What is read of ONNX's messages: types that have only the messages that are looked into and the
 * lists that are needed whole. Everything else is there when it is short, and omitted when not
 * (cpb/outline.h, keep_known). */
#ifndef CPB_MODEL_ONNX_VIEWS_H
#define CPB_MODEL_ONNX_VIEWS_H

#include "cpb/message.h"

/* A ModelProto without what tensors hold. */
extern const cpb_message_type cpb_view_onnx;

/* Of a ModelProto, what its tensors are found by: nothing of nodes but constants and subgraphs. */
extern const cpb_message_type cpb_view_onnx_tensors;

#endif

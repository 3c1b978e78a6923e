/* The first values of a tensor that is in memory. */
#ifndef CPB_MODEL_ONNX_PREVIEW_H
#define CPB_MODEL_ONNX_PREVIEW_H

#include "base/json_writer.h"
#include "model/onnx/tensor.h"

/* Members of an object: "preview", the first values, if they are in memory, with "preview_more": true if there
 * are others. */
void cpb_onnx_write_preview(cpb_json_writer *answer, const cpb_onnx_tensor *tensor);

#endif

/* Tensors and attributes of a model in JSON. */
#ifndef CPB_MODEL_COREML_TENSOR_JSON_H
#define CPB_MODEL_COREML_TENSOR_JSON_H

#include "base/json_writer.h"
#include "model/coreml/tensor.h"

/* Members of an object: "dtype", "shape", "elements", "bytes", "size", where it lies, "quantization" of a layer's
 * weights, and its first values if they are in memory. */
void cpb_coreml_write_tensor(cpb_json_writer *answer, const cpb_coreml_tensor *tensor);

/* An object, of a MILSpec.Value of that name: "name", "kind", and "value". The kind is "tensor", whose value is such
 * members; the dtype of a single number or text, which then is the value; "list", "tuple" or "dictionary", whose value
 * is how many elements it has. */
void cpb_coreml_write_attribute(cpb_json_writer *answer, const cpb_part *part, cpb_span name, cpb_span value);

#endif

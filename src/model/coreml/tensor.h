/* A constant of a model as a tensor, without its values. */
#ifndef CPB_MODEL_COREML_TENSOR_H
#define CPB_MODEL_COREML_TENSOR_H

#include "base/json_writer.h"
#include "model/common/part.h"
#include "model/common/tensor/values_state.h"
#include "model/coreml/model.h"

#define CPB_COREML_RANK_MAX 32

typedef struct cpb_coreml_tensor {
  const cpb_part *part;
  uint64_t dtype;       /* as in dtypes.h */
  cpb_tensor_type type; /* its `format` is NULL if the dtype is unknown, or cannot be stored in such a field */
  uint64_t shape[CPB_COREML_RANK_MAX];
  uint32_t rank;
  bool is_weights;   /* weights of a layer: the message with the values lacks type and shape */
  bool is_tensor;    /* otherwise a list, a dictionary and the like, without further details */
  bool has_elements; /* `elements` and `bytes` are valid */
  uint64_t elements;
  uint64_t bytes;    /* by shape and type; elements that share bytes count as one; 0 for texts */
  const char *field; /* name of the field with the values, such as "floats", or NULL */
  cpb_span message;  /* the message with that field */
  uint32_t number;
  uint64_t parts;   /* number of such fields: 1 if they are packed */
  bool is_content;  /* the values are stored as in memory */
  uint64_t size;    /* of the values in bytes, here or in another file */
  cpb_range values; /* of the first one */
  cpb_range tensor; /* the Value itself, or a layer's WeightParams */
  bool is_external; /* the values are in another file */
  cpb_span location;
  uint64_t offset;       /* of the description that precedes the values */
  const char *wrong;     /* NULL, or why that position is invalid */
  cpb_span quantization; /* a layer's QuantizationParams */
} cpb_coreml_tensor;

cpb_coreml_tensor cpb_coreml_tensor_of(const cpb_part *part, const cpb_view_tensor *constant);
/* The same for a Value that is not a constant of the graph. */
cpb_coreml_tensor cpb_coreml_tensor_of_value(const cpb_part *part, cpb_span value);

/* The number of elements of a MILSpec.TensorType, if it is known; and the bytes of that many elements of a dtype. */
void cpb_coreml_elements(cpb_span type, bool *is_known, uint64_t *elements);
uint64_t cpb_coreml_bytes(uint64_t dtype, uint64_t elements);

/* The prefix in the names of files that represents the model's folder. */
#define CPB_COREML_FOLDER "@model_path/"

/* The name of the file, relative to the model's folder. */
cpb_span cpb_coreml_file_of(cpb_span location);

/* Writes members of an object: "dtype", "shape", "elements", "bytes", "size", the place of the values, "quantization"
 * of a layer's weights, and the first values if they are in memory. */
void cpb_coreml_write_tensor(cpb_json_writer *answer, const cpb_coreml_tensor *tensor);

/* Writes a single number or text; false if it is something else, or is not in memory. `kind` is the key for its type,
 * or NULL. */
bool cpb_coreml_write_single(cpb_json_writer *answer, const char *kind, const char *key,
                             const cpb_coreml_tensor *tensor);

/* Writes an object for a MILSpec.Value of that name: "name", "kind", and "value". The kind of a tensor is "tensor", and
 * its value has the members above. The kind of a single number or text is its dtype, and its value the number or text.
 * The kind of others is "list", "tuple" or "dictionary", and their value the number of elements. */
void cpb_coreml_write_attribute(cpb_json_writer *answer, const cpb_part *part, cpb_span name, cpb_span value);

#endif

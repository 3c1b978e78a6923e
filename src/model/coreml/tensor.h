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
  cpb_tensor_type type; /* its `format` is NULL if the dtype is not known, or is not stored in such a field */
  uint64_t shape[CPB_COREML_RANK_MAX];
  uint32_t rank;
  bool is_weights;   /* of a layer: their type and shape are not in the message that has the values */
  bool is_tensor;    /* else a list, a dictionary and the like, of which nothing else is known */
  bool has_elements; /* its sizes are known, and no error: */
  uint64_t elements;
  uint64_t bytes;    /* by shape and type, elements that share bytes as one; 0 for texts */
  const char *field; /* that has the values, such as "floats"; NULL for none */
  cpb_span message;  /* that has that field, of this number: */
  uint32_t number;
  uint64_t parts;   /* how many such fields there are: 1 where they are packed */
  bool is_content;  /* its values lie there as in memory */
  uint64_t size;    /* of their bytes, or of those in another file */
  cpb_range values; /* of the first */
  cpb_range tensor; /* the Value itself, or a layer's WeightParams */
  bool is_external; /* in another file: */
  cpb_span location;
  uint64_t offset;       /* of the description in front of the values */
  const char *wrong;     /* NULL, or why that is no place */
  cpb_span quantization; /* QuantizationParams, of a layer's */
} cpb_coreml_tensor;

cpb_coreml_tensor cpb_coreml_tensor_of(const cpb_part *part, const cpb_view_tensor *constant);
/* The same of a Value that is not among them. */
cpb_coreml_tensor cpb_coreml_tensor_of_value(const cpb_part *part, cpb_span value);

/* How many elements a MILSpec.TensorType has, if that is known; and the bytes of so many of a dtype. */
void cpb_coreml_elements(cpb_span type, bool *is_known, uint64_t *elements);
uint64_t cpb_coreml_bytes(uint64_t dtype, uint64_t elements);

/* What stands for the model's folder in front of a file's name. */
#define CPB_COREML_FOLDER "@model_path/"

/* The name of the file, relative to the model's folder. */
cpb_span cpb_coreml_file_of(cpb_span location);

/* Members of an object: "dtype", "shape", "elements", "bytes", "size", where it lies, "quantization" of a layer's
 * weights, and its first values if they are in memory. */
void cpb_coreml_write_tensor(cpb_json_writer *answer, const cpb_coreml_tensor *tensor);

/* An object, of a MILSpec.Value of that name: "name", "kind", and "value". The kind is "tensor", whose value is such
 * members; the dtype of a single number or text, which then is the value; "list", "tuple" or "dictionary", whose value
 * is how many elements it has. */
void cpb_coreml_write_attribute(cpb_json_writer *answer, const cpb_part *part, cpb_span name, cpb_span value);

#endif

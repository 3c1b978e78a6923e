/* TensorFlow's own notions in an answer: dtypes, shapes, tensors, attributes. */
#ifndef CPB_MODEL_TENSORFLOW_JSON_H
#define CPB_MODEL_TENSORFLOW_JSON_H

#include "base/json_writer.h"
#include "model/common/cursor.h"
#include "model/tensorflow/part.h"

/* Such as "float32", or "float32_ref"; "dtype 77" for one that is not known. */
#define CPB_DTYPE_NAME 40
void cpb_dtype_name(uint64_t dtype, char *out, size_t size);
void cpb_write_dtype(cpb_json_writer *answer, const char *key, uint64_t dtype);

/* Bits of an element; 0 where elements have no fixed size. */
unsigned cpb_dtype_bits(uint64_t dtype);
/* The shape in field `number`. A message without it has that of a scalar; NULL data
 * for no message. */
cpb_span cpb_get_shape(cpb_span message, uint32_t number);
/* The number of elements of a TensorShapeProto; false when it is not known or beyond
 * 2^64. */
bool cpb_shape_elements(cpb_span shape, uint64_t *elements);

/* A TensorShapeProto: a list of sizes, null for one that is not known; null for a
 * shape of unknown rank and for none (NULL data). */
void cpb_write_shape(cpb_json_writer *answer, const char *key, cpb_span shape);

/* Names out of the messages' string fields `number`, as a list. */
void cpb_write_strings(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* --- Tensors ----------------------------------------------------------------- */

/* What is known of a TensorProto without its values. */
typedef struct cpb_tensor {
  uint64_t dtype;
  cpb_span shape;
  uint32_t field;   /* of TensorProto, that has the values; 0 for none */
  uint64_t parts;   /* how many such fields there are: 1 where they are packed */
  uint64_t size;    /* of their bytes */
  cpb_range values; /* of the first */
  cpb_range tensor; /* the TensorProto itself */
} cpb_tensor;

cpb_tensor cpb_tensor_of(const cpb_part *part, cpb_span message);

/* The name of the field, such as "tensor_content"; NULL for 0. */
const char *cpb_tensor_field_name(uint32_t field);

/* Members of an object: "dtype", "shape", "size" and where it lies. */
void cpb_write_tensor(cpb_json_writer *answer, const cpb_tensor *tensor);

/* --- Values -------------------------------------------------------------------- */

/* An AttrValue as members "kind" and "value". */
void cpb_write_attr(cpb_json_writer *answer, const cpb_part *part, cpb_span value);
/* A map of AttrValues as a list of {"name", "kind", "value"}, by name. When memory is
 * short the answer has failed. */
void cpb_write_attrs(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message, uint32_t number);

/* A StructuredValue; how each kind looks is in docs/inspecting.md. */
void cpb_write_structured(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value);

#endif

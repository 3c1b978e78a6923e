/* TensorFlow's shapes (framework/tensor_shape.proto). */
#ifndef CPB_MODEL_COMMON_TENSOR_SHAPES_H
#define CPB_MODEL_COMMON_TENSOR_SHAPES_H

#include <stdbool.h>
#include "base/bytes.h"
#include "base/json_writer.h"

/* The shape in field `number`. A message without one has a scalar's; NULL data without a message. */
cpb_span cpb_get_shape(cpb_span message, uint32_t number);
/* The number of elements of a TensorShapeProto; false when it is not known or beyond
 * 2^64. */
bool cpb_shape_elements(cpb_span shape, uint64_t *elements);

/* A TensorShapeProto: a list of sizes, null for an unknown one; null for a shape of unknown rank and for NULL data. */
void cpb_write_shape(cpb_json_writer *answer, const char *key, cpb_span shape);

#endif

/* A variable of a meta graph, and its use in the model. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLE_H
#define CPB_MODEL_TENSORFLOW_VARIABLE_H

#include "model/common/parameters.h"
#include "model/tensorflow/state.h"

typedef struct cpb_variable {
  uint32_t node;                   /* in the object graph; CPB_NO_OBJECT for a variable of TensorFlow 1 */
  cpb_span message;                /* SavedVariable; VariableDef */
  cpb_span name;                   /* without ":0" */
  cpb_span whole;                  /* for a part of a partitioned variable, the name of the whole; else empty */
  bool is_first;                   /* it is whole, or the first part */
  uint32_t copy_of;                /* an object, or CPB_NO_OBJECT */
  const struct cpb_stored *stored; /* for a part, the entry of the whole; may be NULL */
  uint64_t dtype;                  /* 0: unknown */
  cpb_span shape;                  /* TensorShapeProto, or empty: then `extents` or the entry has the shape */
  cpb_span extents;                /* for a part: SaveSliceInfoDef */
  bool has_elements, trainable;
  uint64_t elements, bytes;
  cpb_tensor_use use;
} cpb_variable;

typedef struct cpb_variable_list {
  cpb_allocator allocator;
  cpb_variable *items; /* objects in their order, or those of the collection */
  size_t count, capacity;
} cpb_variable_list;

/* The number of elements that it adds to the parameters. */
static inline uint64_t cpb_variable_parameters(const cpb_variable *v) {
  return v->use == CPB_TENSOR_WEIGHT && v->copy_of == CPB_NO_OBJECT && v->has_elements ? v->elements : 0;
}

#endif

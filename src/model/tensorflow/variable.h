/* A variable of a meta graph, and what it is to the model. */
#ifndef CPB_MODEL_TENSORFLOW_VARIABLE_H
#define CPB_MODEL_TENSORFLOW_VARIABLE_H

#include "model/common/parameters.h"
#include "model/tensorflow/state.h"

typedef struct cpb_variable {
  uint32_t node;                   /* of the object graph, or CPB_NO_OBJECT: one of TensorFlow 1 */
  cpb_span message;                /* SavedVariable; VariableDef */
  cpb_span name;                   /* without ":0" */
  cpb_span whole;                  /* of a part of a partitioned variable the name of that; else empty */
  bool is_first;                   /* it is no part, or its whole's first */
  uint32_t copy_of;                /* an object, or CPB_NO_OBJECT */
  const struct cpb_stored *stored; /* of a part that of the whole; NULL for none */
  uint64_t dtype;                  /* 0 where it is not known */
  cpb_span shape;                  /* TensorShapeProto, or empty: that of `extents`, or what is stored */
  cpb_span extents;                /* of a part: SaveSliceInfoDef */
  bool has_elements, trainable;
  uint64_t elements, bytes;
  cpb_tensor_use use;
} cpb_variable;

typedef struct cpb_variable_list {
  cpb_allocator allocator;
  cpb_variable *items; /* objects in their order, or the collection's */
  size_t count, capacity;
} cpb_variable_list;

/* How many elements it counts as. */
static inline uint64_t cpb_variable_parameters(const cpb_variable *v) {
  return v->use == CPB_TENSOR_WEIGHT && v->copy_of == CPB_NO_OBJECT && v->has_elements ? v->elements : 0;
}

#endif

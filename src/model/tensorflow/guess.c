#include "model/tensorflow/guess.h"

#include "model/common/cursor.h"
#include "model/tensorflow/fields.h"

/* The version, or a meta graph without one before it. */
bool cpb_saved_model_guess(cpb_span begin) {
  cpb_wire_type type;
  uint32_t number = cpb_first_field(&begin, &type);
  return (number == SAVED_MODEL_VERSION && type == CPB_WIRE_VARINT) ||
         (number == SAVED_MODEL_META_GRAPHS && type == CPB_WIRE_LEN);
}

/* A library without a node before it begins with a function and this with its signature; a meta graph
 * begins in another way. */
bool cpb_graph_def_guess(cpb_span begin) {
  cpb_wire_type type;
  switch (cpb_first_field(&begin, &type)) {
    case GRAPH_NODE: return type == CPB_WIRE_LEN;
    case GRAPH_LIBRARY:
      return type == CPB_WIRE_LEN && cpb_first_field(&begin, &type) == LIBRARY_FUNCTION &&
             cpb_first_field(&begin, &type) == FUNCTION_SIGNATURE;
    case GRAPH_VERSION:
    case GRAPH_VERSIONS: return true;
    default: return false;
  }
}

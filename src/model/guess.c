/* What kind of model begins like that. */
#include "cpb/model.h"
#include "model/common/cursor.h"
#include "model/tensorflow/fields.h"

/* The first field of the message at `in`, whose value may be cut; `in` is then what is
 * there of the value. Returns the field's number, 0 for none. */
static uint32_t first_field(cpb_span *in, cpb_wire_type *type) {
  uint64_t tag, size;
  const uint8_t *end = in->data + in->size, *at = cpb_varint_read(in->data, end, &tag);
  if (!at || tag >> 3 == 0 || tag > UINT32_MAX) return 0;
  *type = (cpb_wire_type)(tag & 7);
  if (*type == CPB_WIRE_LEN) at = cpb_varint_read(at, end, &size);
  *in = at ? (cpb_span){at, (size_t)(end - at)} : (cpb_span){end, 0};
  return (uint32_t)(tag >> 3);
}

/* Node of a GraphDef or of a SavedMetadata: the one begins with a name. */
static cpb_model_kind guess_node(cpb_span in) {
  enum { METADATA_NODE_ID = 2, METADATA_PATH = 3 };
  cpb_wire_type type;
  uint32_t number = first_field(&in, &type);
  bool metadata = (number == METADATA_NODE_ID && type == CPB_WIRE_VARINT) || number == METADATA_PATH;
  return metadata ? CPB_MODEL_KERAS_METADATA : CPB_MODEL_GRAPH_DEF;
}

/* A meta graph without a version before it, or a library without a node before it: that
 * begins with a FunctionDef and this with an OpDef. */
static cpb_model_kind guess_second(cpb_span in) {
  cpb_wire_type type;
  bool library = first_field(&in, &type) == LIBRARY_FUNCTION && first_field(&in, &type) == FUNCTION_SIGNATURE;
  return library ? CPB_MODEL_GRAPH_DEF : CPB_MODEL_SAVED_MODEL;
}

static cpb_model_kind guess_protobuf(cpb_span in) {
  cpb_wire_type type;
  switch (first_field(&in, &type)) {
    case 1: return type == CPB_WIRE_LEN ? guess_node(in) : type == CPB_WIRE_VARINT ? CPB_MODEL_SAVED_MODEL : 0;
    case 2: return type == CPB_WIRE_LEN ? guess_second(in) : 0;
    case GRAPH_VERSION:
    case GRAPH_VERSIONS: return CPB_MODEL_GRAPH_DEF;
    default: return 0;
  }
}

cpb_model_kind cpb_model_guess(const void *data, size_t size) {
  const uint8_t *bytes = data;
  if (size >= 4 && bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] < 8) return CPB_MODEL_SAMEDIFF_ZIP;
  /* The offset of a FlatBuffer's root: in no message are there such zeros. */
  if (size >= 8 && bytes[2] == 0 && bytes[3] == 0 && cpb_load32(bytes) % 4 == 0 && cpb_load32(bytes) > 0)
    return CPB_MODEL_SAMEDIFF_GRAPH;
  return size > 0 ? guess_protobuf((cpb_span){bytes, size}) : 0;
}

/* Protobuf messages that are not models, recognized by their distinctive fields. */
#include "model/common/cursor.h"
#include "model/common/guess.h"
#include "model/common/spans.h"
#include "model/foreign/foreign.h"

static bool is_proto_name(cpb_span name) {
  return name.size > 6 && cpb_span_is(cpb_span_from(name, name.size - 6), ".proto");
}

/* A Paddle program: the first block has number 0 and parent -1. */
static bool is_program(cpb_span in) {
  static const uint8_t block[] = {0x08, 0, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  uint64_t size;
  const uint8_t *end = in.data + in.size;
  const uint8_t *first = in.size > 1 && in.data[0] == 0x0a ? cpb_varint_read(in.data + 1, end, &size) : NULL;
  return first && cpb_span_begins((cpb_span){first, (size_t)(end - first)}, (cpb_span){block, sizeof block});
}

/* FileDescriptorSet */
CPB_EVIDENCE(file, CPB_EVIDENCE_PROOF_BYTES(1, is_proto_name), CPB_EVIDENCE_TEXT(2), CPB_EVIDENCE_TEXT(3),
             CPB_EVIDENCE_BYTES(4), CPB_EVIDENCE_BYTES(5), CPB_EVIDENCE_BYTES(6), CPB_EVIDENCE_BYTES(7),
             CPB_EVIDENCE_BYTES(8), CPB_EVIDENCE_BYTES(9), CPB_EVIDENCE_NUMBER(10), CPB_EVIDENCE_NUMBER(11),
             CPB_EVIDENCE_TEXT(12), CPB_EVIDENCE_NUMBER(14));
CPB_EVIDENCE(files, CPB_EVIDENCE_OF(1, file));

/* Example: lists of bytes, floats or integers by name. */
CPB_EVIDENCE(list, CPB_EVIDENCE_BYTES(1));
CPB_EVIDENCE(feature, CPB_EVIDENCE_OF(1, list), CPB_EVIDENCE_OF(2, list), CPB_EVIDENCE_OF(3, list));
CPB_EVIDENCE(named_feature, CPB_EVIDENCE_TEXT(1), CPB_EVIDENCE_PROOF(2, feature, 2));
CPB_EVIDENCE(features, CPB_EVIDENCE_OF(1, named_feature));
CPB_EVIDENCE(example, CPB_EVIDENCE_OF(1, features));

/* NetParameter */
CPB_EVIDENCE(layer, CPB_EVIDENCE_TEXT(1), CPB_EVIDENCE_TEXT(2), CPB_EVIDENCE_TEXT(3), CPB_EVIDENCE_TEXT(4));
CPB_EVIDENCE(net, CPB_EVIDENCE_TEXT(1), CPB_EVIDENCE_TEXT(3), CPB_EVIDENCE_PROOF(100, layer, 3));

/* TensorProto of ONNX and of TensorFlow. */
CPB_EVIDENCE(dimension, CPB_EVIDENCE_NUMBER(1), CPB_EVIDENCE_TEXT(2));
CPB_EVIDENCE(shape, CPB_EVIDENCE_OF(2, dimension), CPB_EVIDENCE_NUMBER(3));
CPB_EVIDENCE(tf_tensor, CPB_EVIDENCE_NUMBER(1), CPB_EVIDENCE_PROOF(2, shape, 2), CPB_EVIDENCE_NUMBER(3),
             CPB_EVIDENCE_BYTES(4), CPB_EVIDENCE_BYTES(5), CPB_EVIDENCE_BYTES(6), CPB_EVIDENCE_BYTES(7),
             CPB_EVIDENCE_BYTES(8), CPB_EVIDENCE_BYTES(10));

/* The bytes of an element, by ONNX's numbers of types. */
static const uint8_t element_sizes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 8, 16, 2};

/* Dimensions, a type, and exactly as many bytes as these require. */
static bool is_onnx_tensor(cpb_span in, uint64_t size) {
  enum { DIMS = 1, TYPE = 2, RAW = 9, DIMS_MOST = 16 };
  uint64_t count = 1, dim, type = cpb_get_number(in, TYPE);
  cpb_varints dims = cpb_varints_of(in, DIMS);
  for (int i = 0; i < DIMS_MOST && cpb_varints_next(&dims, &dim); i++)
    if (dim > size || (count *= dim) > size) return false;
  if (type == 0 || type >= sizeof element_sizes || element_sizes[type] == 0) return false;
  cpb_cursor fields = cpb_cursor_of(in);
  while (cpb_cursor_next(&fields) && !(fields.number == RAW && fields.type == CPB_WIRE_LEN)) {
    if (fields.number > RAW) return false;
  }
  if (fields.number != RAW || fields.damaged) return false; /* that of larger ones is cut off */
  return fields.bytes.size > 0 && fields.bytes.size == count * element_sizes[type];
}

static cpb_foreign_kind look(cpb_span in, uint64_t size) {
  if (cpb_evidence_score(&files, in, false) > 0) return CPB_FOREIGN_DESCRIPTORS;
  if (cpb_evidence_score(&example, in, false) > 0) return CPB_FOREIGN_EXAMPLE;
  if (cpb_evidence_score(&net, in, false) > 0) return CPB_FOREIGN_CAFFE;
  if (is_program(in)) return CPB_FOREIGN_PADDLE;
  if (is_onnx_tensor(in, size)) return CPB_FOREIGN_ONNX_TENSOR;
  return cpb_evidence_score(&tf_tensor, in, false) > 2 ? CPB_FOREIGN_TF_TENSOR : CPB_FOREIGN_UNKNOWN;
}

bool cpb_foreign_message(const cpb_file_ends *ends, cpb_foreign *found) {
  found->kind = look(cpb_ends_begin(ends), ends->size);
  return found->kind != CPB_FOREIGN_UNKNOWN;
}

#include "base/utf8.h"
#include "model/common/cursor.h"
#include "model/common/guess.h"
#include "model/common/spans.h"
#include "model/foreign/foreign.h"

/* --- text ------------------------------------------------------------------------------------- */

/* Texts, by their first words and what is in them. */

typedef struct rule {
  cpb_foreign_kind kind;
  const char *begin;     /* the text begins with it, ignoring case */
  const char *parts[2];  /* the text contains these; NULL: anything */
  const char *detail[2]; /* the detail is between these */
} rule;

/* The first that fits. */
static const rule rules[] = {
    {CPB_FOREIGN_GIT_LFS, "version https://git-lfs", {NULL, NULL}, {"size ", "\n"}},
    {CPB_FOREIGN_GIT_LFS, "version https://hawser", {NULL, NULL}, {"size ", "\n"}},
    {CPB_FOREIGN_GIT_ANNEX, "/annex/objects/", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_DVC, "outs:", {"md5:", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_WEB_PAGE, "<!doctype html", {NULL, NULL}, {"<title>", "<"}},
    {CPB_FOREIGN_WEB_PAGE, "<html", {NULL, NULL}, {"<title>", "<"}},
    {CPB_FOREIGN_WEB_PAGE, "<head", {NULL, NULL}, {"<title>", "<"}},
    {CPB_FOREIGN_SERVER_XML, "<", {"<Error>", NULL}, {"<Code>", "<"}},
    {CPB_FOREIGN_ONNX_TEXT, "<", {"ir_version", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_OPENVINO, "<", {"<net ", "<layer"}, {NULL, NULL}},
    {CPB_FOREIGN_PMML, "<", {"<PMML", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_WEB_PAGE, "<", {"<html", NULL}, {"<title>", "<"}},
    {CPB_FOREIGN_XML, "<?xml", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_TFJS, "{", {"\"modelTopology\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_COREML_MANIFEST, "{", {"\"rootModelIdentifier\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_ONNX_TEXT, "{", {"\"irVersion\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_ONNX_TEXT, "{", {"\"opType\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_TVM, "{", {"\"nodes\"", "\"tvm_op\""}, {NULL, NULL}},
    {CPB_FOREIGN_MXNET, "{", {"\"nodes\"", "\"op\""}, {NULL, NULL}},
    {CPB_FOREIGN_XGBOOST, "{", {"\"learner\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_WEIGHT_MAP, "{", {"\"weight_map\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_TRANSFORMERS, "{", {"\"model_type\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_TRANSFORMERS, "{", {"\"architectures\"", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_KERAS_JSON, "{", {"\"class_name\"", "\"config\""}, {NULL, NULL}},
    {CPB_FOREIGN_SERVER_JSON, "{\"error\":{", {"\"message\"", NULL}, {"\"message\"", "\""}},
    {CPB_FOREIGN_SERVER_JSON, "{\"error\":{", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_SERVER_JSON, "{\"error\"", {NULL, NULL}, {"\"error\"", "\""}},
    {CPB_FOREIGN_SERVER_JSON, "{\"errors\"", {NULL, NULL}, {"\"message\"", "\""}},
    {CPB_FOREIGN_SERVER_JSON, "{\"message\"", {NULL, NULL}, {"\"message\"", "\""}},
    {CPB_FOREIGN_SERVER_JSON, "{\"detail\"", {NULL, NULL}, {"\"detail\"", "\""}},
    {CPB_FOREIGN_JSON, "{\"", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_JSON, "{}", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_JSON, "[{", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_DARKNET, "[net]", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_DARKNET, "[network]", {NULL, NULL}, {NULL, NULL}},
    {CPB_FOREIGN_CHECKPOINT, "model_checkpoint_path:", {NULL, NULL}, {"\"", "\""}},
    {CPB_FOREIGN_LIGHTGBM, "tree", {"version=", "num_class="}, {NULL, NULL}},
    {CPB_FOREIGN_COREML_COMPILED, "program(", {"func ", NULL}, {NULL, NULL}},
    {CPB_FOREIGN_MLIR, "module", {"func", "{"}, {NULL, NULL}},
    {CPB_FOREIGN_CAFFE, "", {"layer {", "type:"}, {NULL, NULL}},
    {CPB_FOREIGN_CAFFE, "", {"layers {", "type:"}, {NULL, NULL}},
    {CPB_FOREIGN_TRITON, "", {"max_batch_size:", "platform:"}, {NULL, NULL}},
    {CPB_FOREIGN_TRITON, "", {"max_batch_size:", "backend:"}, {NULL, NULL}},
    {CPB_FOREIGN_TEXT, "", {NULL, NULL}, {"", "\n"}},
};

static bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static cpb_span trim(cpb_span in) {
  size_t begin = 0;
  while (begin < in.size && is_space(in.data[begin])) begin++;
  while (in.size > begin && is_space(in.data[in.size - 1])) in.size--;
  return cpb_span_from(in, begin);
}

/* Removes the byte order mark; false if this is not text. The last character may be cut off. */
static bool take_text(cpb_span *in) {
  if (cpb_span_begins(*in, cpb_span_of("\xef\xbb\xbf"))) *in = cpb_span_from(*in, 3);
  for (size_t at = 0, length; at < in->size; at += length) {
    length = cpb_utf8_length(cpb_span_from(*in, at));
    if (length == 0 && in->size - at < 4) in->size = at;
    else if (length == 0 || in->data[at] == 0x7f) return false;
    else if (in->data[at] < ' ' && !is_space(in->data[at]) && in->data[at] != 0x1b) return false;
  }
  *in = trim(*in);
  return in->size > 0;
}

/* The text between `from`, with a colon or quotation mark after it, and `to`. */
static cpb_span between(cpb_span text, const char *from, const char *to) {
  const size_t at = cpb_span_find(text, from);
  if (at == text.size) return (cpb_span){NULL, 0};
  cpb_span rest = cpb_span_from(text, at + strlen(from));
  while (rest.size > 0 && (is_space(*rest.data) || *rest.data == ':' || *rest.data == '"'))
    rest = cpb_span_from(rest, 1);
  return trim((cpb_span){rest.data, cpb_span_find(rest, to)});
}

/* Whether the text begins with `begin`; spaces count only if both have them. */
static bool begins_so(cpb_span text, const char *begin) {
  size_t at = 0;
  for (; *begin; begin++, at++) {
    while (at < text.size && is_space(text.data[at]) && *begin != ' ') at++;
    if (at == text.size) return false;
    const uint8_t c = text.data[at];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != *begin) return false;
  }
  return true;
}

static bool fits(const rule *r, cpb_span text) {
  bool fits = begins_so(text, r->begin);
  for (size_t i = 0; i < 2 && fits && r->parts[i]; i++) fits = cpb_span_contains(text, cpb_span_of(r->parts[i]));
  return fits;
}

bool cpb_foreign_text(const cpb_file_ends *ends, cpb_foreign *found) {
  cpb_span text = cpb_ends_begin(ends);
  if (!take_text(&text)) return false;
  const rule *r = rules;
  while (!fits(r, text)) r++;
  found->kind = r->kind;
  if (r->detail[0]) found->detail = between(text, r->detail[0], r->detail[1]);
  return true;
}

/* --- message ---------------------------------------------------------------------------------- */

/* Protobuf messages that are not models, recognized by their distinctive fields. */

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
  while (cpb_cursor_next(&fields) && !(fields.number == RAW && fields.type == CPB_WIRE_LEN))
    if (fields.number > RAW) return false;
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

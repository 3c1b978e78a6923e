/* What a message is, by evidence: which fields it begins with, of which wire types, with what text, at the top and some
 * levels below. One byte says little: `08` begins a SavedModel, an ONNX model, and many others. Nor does it say much
 * that a few fields fit: something that hardly anything else has must be there, too. */
#ifndef CPB_MODEL_COMMON_EVIDENCE_H
#define CPB_MODEL_COMMON_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "proto/wire.h"

typedef struct cpb_evidence cpb_evidence;

/* A field of the message type. */
typedef struct cpb_evidence_field {
  uint32_t number;
  cpb_wire_type type;
  const cpb_evidence *message; /* what a LEN field holds, or NULL: that is not looked into */
  bool is_text;                /* without control characters */
  int proves;                  /* a message that scores as much settles it; 0: none does */
  bool (*is_proof)(cpb_span);  /* content that settles it, which may be cut off; NULL: none does */
} cpb_evidence_field;

struct cpb_evidence {
  const cpb_evidence_field *fields;
  size_t num_fields;
};

/* A message type of that name, from fields that are numbers, bytes that are not looked into, text, and
 * messages of a type that is defined above; those behind PROOF settle it. A number that may be packed is in it
 * twice, also as bytes. */
#define CPB_EVIDENCE(name, ...)                                    \
  static const cpb_evidence_field name##_fields[] = {__VA_ARGS__}; \
  static const cpb_evidence name = {name##_fields, sizeof name##_fields / sizeof *name##_fields}
#define CPB_EVIDENCE_NUMBER(number) {number, CPB_WIRE_VARINT, NULL, false, 0, NULL}
#define CPB_EVIDENCE_FLOAT(number) {number, CPB_WIRE_FIXED32, NULL, false, 0, NULL}
#define CPB_EVIDENCE_DOUBLE(number) {number, CPB_WIRE_FIXED64, NULL, false, 0, NULL}
#define CPB_EVIDENCE_BYTES(number) {number, CPB_WIRE_LEN, NULL, false, 0, NULL}
#define CPB_EVIDENCE_TEXT(number) {number, CPB_WIRE_LEN, NULL, true, 0, NULL}
#define CPB_EVIDENCE_OF(number, type) {number, CPB_WIRE_LEN, &(type), false, 0, NULL}
#define CPB_EVIDENCE_PROOF(number, type, proves) {number, CPB_WIRE_LEN, &(type), false, proves, NULL}
#define CPB_EVIDENCE_PROOF_BYTES(number, is_proof) {number, CPB_WIRE_LEN, NULL, false, 0, is_proof}

/* How well the beginning of a message fits its type: 0 when it does not. Each known field counts
 * for one and each unknown one against it; a known field of another wire type, a group, what is
 * no field at all, and text with control characters rule it out, and so does it that nothing settles it,
 * unless its name does: `is_named`. The end of `begin` may cut a field off. */
int cpb_evidence_score(const cpb_evidence *type, cpb_span begin, bool is_named);

#endif

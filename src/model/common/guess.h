/* How a file's kind is recognized: by its beginning and end, and by the fields of a message. */
#ifndef CPB_MODEL_COMMON_GUESS_H
#define CPB_MODEL_COMMON_GUESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cpb/model.h"
#include "proto/wire.h"

/* --- ends ------------------------------------------------------------------------------------- */

/* The beginning and end of a file, which identify its format (cpb_file_ends). */

/* Copies the caller's struct, whose size may differ. It limits the bytes to those that are examined, fills in the
 * file's size if that is known, and sets the last bytes if the first ones are the whole file. */
void cpb_ends_copy(cpb_file_ends *ends, const cpb_file_ends *given);

cpb_span cpb_ends_begin(const cpb_file_ends *ends);
cpb_span cpb_ends_end(const cpb_file_ends *ends);

/* Whether the name has this ending, ignoring ASCII case. `ending` is lower case. */
bool cpb_ends_named(const cpb_file_ends *ends, const char *ending);

/* --- evidence --------------------------------------------------------------------------------- */

/* Recognizes the type of a message by evidence: its first fields, their wire types and text, at the top and some levels
 * below. One byte is weak evidence: `08` begins a SavedModel, an ONNX model, and many others. A few matching fields are
 * weak as well: a field that is rare elsewhere must be present. */

typedef struct cpb_evidence cpb_evidence;

/* A field of the message type. */
typedef struct cpb_evidence_field {
  uint32_t number;
  cpb_wire_type type;
  const cpb_evidence *message; /* the type of a LEN field, or NULL: its content is ignored */
  bool is_text;                /* without control characters */
  int proves;                  /* settles the type if the message scores this much; 0: never */
  bool (*is_proof)(cpb_span);  /* content that settles the type, perhaps cut off; NULL: none */
} cpb_evidence_field;

struct cpb_evidence {
  const cpb_evidence_field *fields;
  size_t num_fields;
};

/* Defines a message type of that name. Its fields are numbers, bytes with ignored content, text, and messages of a type
 * that is defined above; fields after PROOF settle the type. A number that may be packed is listed twice, the second
 * time as bytes. */
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

/* How well the beginning of a message fits its type; 0: it does not. Each known field adds one, each unknown field
 * subtracts one. The type is ruled out by a known field of another wire type, a group, malformed bytes, or text with
 * control characters; and if no field settles it, unless the file name does: `is_named`. The end of `begin` may cut a
 * field off. */
int cpb_evidence_score(const cpb_evidence *type, cpb_span begin, bool is_named);

#endif

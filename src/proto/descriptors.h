/* Looks names up in a serialized FileDescriptorSet, without allocating or keeping anything: for readers that have no
 * memory for a cpb_schema. Each lookup walks the set once. */
#ifndef CPB_PROTO_DESCRIPTORS_H
#define CPB_PROTO_DESCRIPTORS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/message.h"

typedef struct cpb_described_field {
  uint32_t number;
  uint32_t type; /* a cpb_field_type */
  bool repeated;
  bool map;         /* `message` is a map's entry */
  cpb_span message; /* the DescriptorProto of its type; empty if the type is not a message, or not in the set */
} cpb_described_field;

/* The DescriptorProto of a type by its full name, with or without a dot in front. */
bool cpb_descriptors_find(cpb_span set, cpb_span name, cpb_span *message);

/* The field of `message` that has this name, or JSON name; if `name` is empty, this number. */
bool cpb_descriptors_field(cpb_span set, cpb_span message, cpb_span name, uint64_t number, cpb_described_field *field);

/* --- small ------------------------------------------------------------------------------------ */

/* The fields of a small message that is entirely in memory. */

typedef struct cpb_small_field {
  uint32_t number;
  uint32_t type;  /* a cpb_wire_type */
  uint64_t value; /* VARINT, FIXED32, FIXED64 */
  cpb_span bytes; /* LEN */
} cpb_small_field;

/* Takes the next field off the front of `in`. False at the end, where in->size is 0, and at a malformed field or a
 * group. */
bool cpb_small_next(cpb_span *in, cpb_small_field *field);

#endif

/* nanopb, for the small messages with fixed types. They are decoded from memory, and their
 * strings and bytes are spans of that memory. */
#ifndef CPB_PROTO_NANOPB_H
#define CPB_PROTO_NANOPB_H

#include <pb.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Merges the serialized message `in` into `message`, which is all 0 or was decoded before. Repeated fields are skipped.
 * Returns NULL, or the problem as a static text. */
const char *cpb_nanopb_decode(cpb_span in, const pb_msgdesc_t *type, void *message);

/* Appends a field with `message` as its value. False if memory is short. */
bool cpb_nanopb_append(cpb_buffer *out, uint32_t number, const pb_msgdesc_t *type, const void *message);

/* The size of that field. */
uint64_t cpb_nanopb_field_size(uint32_t number, const pb_msgdesc_t *type, const void *message);

/* The callback_function for fields with the callback_datatype cpb_span. They are spans of the
 * input; !data means that the field is absent. */
bool cpb_nanopb_span(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field);

#endif

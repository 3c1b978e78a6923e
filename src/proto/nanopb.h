/* nanopb for the small fixed messages: decoded from memory, strings and bytes
 * as spans of that memory. */
#ifndef CPB_PROTO_NANOPB_H
#define CPB_PROTO_NANOPB_H

#include <pb.h>
#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Merges the serialized message `in` into `message`, which is zeroed or was
 * decoded into before; lists are left out. Returns NULL, or a static text with
 * what is wrong. */
const char *cpb_nanopb_decode(cpb_span in, const pb_msgdesc_t *type, void *message);

/* Appends a field that holds `message`; false when memory is short. */
bool cpb_nanopb_append(cpb_buffer *out, uint32_t number, const pb_msgdesc_t *type, const void *message);

/* Bytes of such a field. */
uint64_t cpb_nanopb_field_size(uint32_t number, const pb_msgdesc_t *type, const void *message);

/* The callback_function of messages that have fields of callback_datatype
 * cpb_span: read, these lie in the input; !data is an absent field. */
bool cpb_nanopb_span(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field);

#endif

/* Values in protobuf's JSON mapping: bytes and numbers, appended to a buffer. */
#ifndef CPB_PROTO_JSON_TEXT_H
#define CPB_PROTO_JSON_TEXT_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/message.h"

/* Each returns false if memory is short. */
bool cpb_json_put(cpb_buffer *out, const char *text, size_t length);
bool cpb_json_put_text(cpb_buffer *out, const char *text);

/* Appends bytes in base64, without quotes: takes at most some thousand from the front of `in`, and
 * is called until that is empty. */
bool cpb_json_put_base64(cpb_buffer *out, cpb_span *in);

/* A number: `value` is the varint or the bits on the wire, and `type` is not string, bytes, message or enum. */
bool cpb_json_put_number(cpb_buffer *out, cpb_field_type type, uint64_t value);
/* The same as the key of a map, always in quotes. */
bool cpb_json_put_key_number(cpb_buffer *out, cpb_field_type type, uint64_t value);

#endif

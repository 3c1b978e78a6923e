/* Values of protobuf's JSON mapping: base64 and numbers, appended to a buffer. */
#ifndef CPB_PROTO_JSON_TEXT_H
#define CPB_PROTO_JSON_TEXT_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/message.h"

/* Each returns false when memory is short. */
bool cpb_json_put(cpb_buffer *out, const char *text, size_t length);
bool cpb_json_put_text(cpb_buffer *out, const char *text);

/* Takes at most some thousand bytes off the front of `in` and appends them in base64,
 * without quotes. Called again until `in` is empty. */
bool cpb_json_put_base64(cpb_buffer *out, cpb_span *in);

/* A number as it stands on the wire (a varint or little-endian bits), of a type
 * that is no string, message or enum. */
bool cpb_json_put_number(cpb_buffer *out, cpb_field_type type, uint64_t value);
/* The same with quotes where it has none: a map's key. */
bool cpb_json_put_key_number(cpb_buffer *out, cpb_field_type type, uint64_t value);

#endif

/* nanopb includes this file (PB_SYSTEM_HEADER) when it is compiled into libcpb: it renames nanopb's functions, because
 * a program may have a nanopb of its own. */
#ifndef CPB_PROTO_NANOPB_NAMES_H
#define CPB_PROTO_NANOPB_NAMES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define pb_default_field_callback cpb_pb_default_field_callback
#define pb_encode cpb_pb_encode
#define pb_encode_ex cpb_pb_encode_ex
#define pb_encode_fixed32 cpb_pb_encode_fixed32
#define pb_encode_fixed64 cpb_pb_encode_fixed64
#define pb_encode_string cpb_pb_encode_string
#define pb_encode_submessage cpb_pb_encode_submessage
#define pb_encode_svarint cpb_pb_encode_svarint
#define pb_encode_tag cpb_pb_encode_tag
#define pb_encode_tag_for_field cpb_pb_encode_tag_for_field
#define pb_encode_varint cpb_pb_encode_varint
#define pb_field_iter_begin cpb_pb_field_iter_begin
#define pb_field_iter_begin_const cpb_pb_field_iter_begin_const
#define pb_field_iter_begin_extension cpb_pb_field_iter_begin_extension
#define pb_field_iter_begin_extension_const cpb_pb_field_iter_begin_extension_const
#define pb_field_iter_find cpb_pb_field_iter_find
#define pb_field_iter_find_extension cpb_pb_field_iter_find_extension
#define pb_field_iter_next cpb_pb_field_iter_next
#define pb_get_encoded_size cpb_pb_get_encoded_size
#define pb_ostream_from_buffer cpb_pb_ostream_from_buffer
#define pb_write cpb_pb_write

#endif

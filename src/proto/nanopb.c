#include "proto/nanopb.h"

#include <pb_common.h>
#include <pb_encode.h>
#include <string.h>

#include "base/checked.h"
#include "proto/wire.h"

/* --- Reading -------------------------------------------------------------- */

/* nanopb's own decoder reads from streams and supports kinds of fields that our messages do not use, which takes four
 * times as much code. */

#define CUT "the message ends within a field"

static bool take_varint(cpb_span *in, uint64_t *value) {
  if (in->size == 0) return false;
  const uint8_t *end = in->data + in->size, *after = cpb_varint_read(in->data, end, value);
  if (!after) return false;
  *in = (cpb_span){after, (size_t)(end - after)};
  return true;
}

/* Takes the value after a tag: a varint into `value`, LEN and fixed-size numbers into `bytes`. */
static const char *take_value(cpb_span *in, cpb_wire_type type, uint64_t *value, cpb_span *bytes) {
  *value = 0;
  if (type == CPB_WIRE_FIXED64) *value = 8;
  else if (type == CPB_WIRE_FIXED32) *value = 4;
  else if (type != CPB_WIRE_VARINT && type != CPB_WIRE_LEN) return "a group, or an unknown wire type";
  else if (!take_varint(in, value)) return "a varint that is incomplete or too long";
  if (type == CPB_WIRE_VARINT) return NULL;
  if (*value > in->size) return CUT;
  *bytes = (cpb_span){in->data, (size_t)*value};
  if (*value > 0) *in = (cpb_span){in->data + *value, in->size - (size_t)*value};
  return NULL;
}

/* An int32 takes the low bits of a longer number, as in protobuf's own parsers. */
static const char *set_number(const pb_field_iter_t *f, uint64_t value) {
  bool is_unsigned = PB_LTYPE(f->type) == PB_LTYPE_UVARINT;
  if (PB_LTYPE(f->type) == PB_LTYPE_BOOL) {
    *(bool *)f->pData = value != 0;
  } else if (f->data_size == sizeof(uint64_t)) {
    memcpy(f->pData, &value, sizeof value);
  } else {
    uint32_t low = (uint32_t)value;
    if (is_unsigned && low != value) return "a number of more than 32 bits";
    memcpy(f->pData, &low, sizeof low);
  }
  return NULL;
}

static void set_present(const pb_field_iter_t *f) {
  if (PB_HTYPE(f->type) == PB_HTYPE_OPTIONAL && f->pSize) *(bool *)f->pSize = true;
  if (PB_HTYPE(f->type) != PB_HTYPE_ONEOF || *(pb_size_t *)f->pSize == f->tag) return;
  *(pb_size_t *)f->pSize = f->tag;
  memset(f->pData, 0, f->data_size);
}

static const char *set_field(const pb_field_iter_t *f, cpb_wire_type type, uint64_t value, cpb_span bytes) {
  bool is_fixed = PB_LTYPE(f->type) == PB_LTYPE_FIXED64;
  bool is_number = is_fixed || PB_LTYPE(f->type) <= PB_LTYPE_UVARINT;
  bool is_callback = PB_ATYPE(f->type) == PB_ATYPE_CALLBACK;
  if (is_number && is_callback) return NULL; /* repeated: left to the caller */
  cpb_wire_type wanted = is_fixed ? CPB_WIRE_FIXED64 : is_number ? CPB_WIRE_VARINT : CPB_WIRE_LEN;
  if (type != wanted) return "a field of another wire type";
  set_present(f);
  if (is_number) return set_number(f, is_fixed ? cpb_load64(bytes.data) : value);
  if (!is_callback) return cpb_nanopb_decode(bytes, f->submsg_desc, f->pData);
  *(cpb_span *)f->pData = bytes;
  return NULL;
}

/* Recursion is bounded by the types, which are not recursive. */
const char *cpb_nanopb_decode(cpb_span in, const pb_msgdesc_t *message_type, void *message) {
  pb_field_iter_t f;
  bool any = pb_field_iter_begin(&f, message_type, message);
  while (in.size > 0) {
    uint64_t tag, value;
    cpb_span bytes = {NULL, 0};
    if (!take_varint(&in, &tag)) return CUT;
    if (tag >> 3 == 0 || tag > UINT32_MAX) return "a field number out of range";
    cpb_wire_type type = (cpb_wire_type)(tag & 7);
    const char *wrong = take_value(&in, type, &value, &bytes);
    if (!wrong && any && pb_field_iter_find(&f, (uint32_t)tag >> 3)) wrong = set_field(&f, type, value, bytes);
    if (wrong) return wrong;
  }
  return NULL;
}

/* --- Writing -------------------------------------------------------------- */

static size_t message_size(const pb_msgdesc_t *type, const void *message) {
  size_t size = 0;
  return pb_get_encoded_size(&size, type, message) ? size : 0;
}

uint64_t cpb_nanopb_field_size(uint32_t number, const pb_msgdesc_t *type, const void *message) {
  size_t size = message_size(type, message);
  return cpb_wire_len_size(number, size) + size;
}

bool cpb_nanopb_append(cpb_buffer *out, uint32_t number, const pb_msgdesc_t *type, const void *message) {
  size_t size = message_size(type, message), total;
  if (!cpb_add_size(out->size, size, &total) || !cpb_add_size(total, CPB_WIRE_HEADER_MAX, &total) ||
      !cpb_buffer_reserve(out, total)) {
    return false;
  }
  uint8_t *at = cpb_wire_put_len(out->data + out->size, number, size);
  pb_ostream_t stream = pb_ostream_from_buffer(at, size);
  if (!pb_encode(&stream, type, message)) return false;
  out->size = (size_t)(at - out->data) + size;
  return true;
}

bool cpb_nanopb_span(pb_istream_t *in, pb_ostream_t *out, const pb_field_t *field) {
  const cpb_span *span = field->pData;
  if (in) return false; /* only used for encoding */
  return !span->data || (pb_encode_tag_for_field(out, field) && pb_encode_string(out, span->data, span->size));
}

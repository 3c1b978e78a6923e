#include "proto/nanopb.h"

#include <pb_decode.h>
#include <pb_encode.h>

#include "base/checked.h"
#include "proto/wire.h"

const char *cpb_nanopb_decode(cpb_span in, const pb_msgdesc_t *type, void *message) {
  pb_istream_t stream = pb_istream_from_buffer(in.data, in.size);
  if (pb_decode_ex(&stream, type, message, PB_DECODE_NOINIT)) return NULL;
  return PB_GET_ERROR(&stream);
}

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
  cpb_span *span = field->pData;
  if (in == NULL) {
    return span->data == NULL ||
           (pb_encode_tag_for_field(out, field) && pb_encode_string(out, span->data, span->size));
  }
  *span = (cpb_span){in->state, in->bytes_left}; /* of a buffer stream: where it stands */
  /* nanopb leaves this to the callback. */
  if (PB_HTYPE(field->type) == PB_HTYPE_ONEOF) *(pb_size_t *)field->pSize = field->tag;
  return pb_read(in, NULL, in->bytes_left);
}

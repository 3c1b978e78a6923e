/* Appends to a buffer, for the encoders of chunk data. False with `*error` set if memory is short. */
#ifndef CPB_RIEGELI_ENCODING_H
#define CPB_RIEGELI_ENCODING_H

#include <string.h>

#include "base/checked.h"
#include "riegeli/codec/compressor.h"

static inline cpb_span cpb_buffer_span(const cpb_buffer *buffer) { return (cpb_span){buffer->data, buffer->size}; }

/* Makes room for `size` more bytes. */
static inline bool cpb_put_reserve(cpb_buffer *out, size_t size, cpb_codec_error *error) {
  size_t total;
  if (size <= out->capacity - out->size) return true;
  if (cpb_add_size(out->size, size, &total) && cpb_buffer_reserve(out, total)) return true;
  *error = (cpb_codec_error){CPB_E_MEMORY, "out of memory"};
  return false;
}

static inline bool cpb_put(cpb_buffer *out, cpb_span bytes, cpb_codec_error *error) {
  if (bytes.size == 0) return true;
  if (!cpb_put_reserve(out, bytes.size, error)) return false;
  memcpy(out->data + out->size, bytes.data, bytes.size);
  out->size += bytes.size;
  return true;
}

static inline bool cpb_put_varint(cpb_buffer *out, uint64_t value, cpb_codec_error *error) {
  if (!cpb_put_reserve(out, CPB_VARINT_MAX, error)) return false;
  out->size = (size_t)(cpb_varint_write(out->data + out->size, value) - out->data);
  return true;
}

/* Appends `bytes` as a compressed buffer of its own. */
static inline bool cpb_compress_all(cpb_compressor *c, cpb_span bytes, cpb_buffer *out, cpb_codec_error *error) {
  return cpb_compressor_begin(c, bytes.size, error) && cpb_compressor_write(c, bytes, out, error) &&
         cpb_compressor_finish(c, out, error);
}

#endif

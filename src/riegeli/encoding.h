/* What the encoders of chunk data share: appending that says what failed. */
#ifndef CPB_RIEGELI_ENCODING_H
#define CPB_RIEGELI_ENCODING_H

#include "riegeli/compressor.h"

static inline cpb_span cpb_buffer_span(const cpb_buffer *buffer) {
  return (cpb_span){buffer->data, buffer->size};
}

static inline bool cpb_put(cpb_buffer *out, cpb_span bytes, cpb_codec_error *error) {
  if (cpb_buffer_append(out, bytes.data, bytes.size)) return true;
  *error = (cpb_codec_error){CPB_E_MEMORY, "out of memory"};
  return false;
}

static inline bool cpb_put_varint(cpb_buffer *out, uint64_t value, cpb_codec_error *error) {
  uint8_t bytes[CPB_VARINT_MAX];
  return cpb_put(out, (cpb_span){bytes, (size_t)(cpb_varint_write(bytes, value) - bytes)}, error);
}

/* Compresses `bytes` as a buffer of its own to the end of `out`. */
static inline bool cpb_compress_all(cpb_compressor *c, cpb_span bytes, cpb_buffer *out,
                                    cpb_codec_error *error) {
  return cpb_compressor_begin(c, bytes.size, error) &&
         cpb_compressor_write(c, bytes, out, error) && cpb_compressor_finish(c, out, error);
}

#endif

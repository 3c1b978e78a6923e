#include "riegeli/simple/encoder.h"

#include "riegeli/encoding.h"

enum { SIZES_AT_ONCE = 32 }; /* number of sizes to make room for at once */

void cpb_simple_encoder_init(cpb_simple_encoder *e, const cpb_allocator *a) {
  memset(e, 0, sizeof *e);
  cpb_buffer_init(&e->sizes, a);
  cpb_buffer_init(&e->collected, a);
  cpb_buffer_init(&e->head, a);
  cpb_buffer_init(&e->body, a);
}

void cpb_simple_encoder_free(cpb_simple_encoder *e) { cpb_simple_encoder_reset(e, NULL, 0); }

void cpb_simple_encoder_reset(cpb_simple_encoder *e, cpb_compressor *compressor, size_t keep) {
  cpb_buffer_reset(&e->sizes, keep);
  cpb_buffer_reset(&e->collected, keep);
  cpb_buffer_reset(&e->head, keep);
  cpb_buffer_reset(&e->body, keep);
  e->compressor = compressor;
  e->num_records = e->decoded_size = 0;
}

bool cpb_simple_encoder_add(cpb_simple_encoder *e, uint64_t size, cpb_codec_error *error) {
  e->num_records++;
  e->decoded_size += size;
  return cpb_put_varint(&e->sizes, size, error);
}

/* Writes a varint. Nearly all have one or two bytes, but a branch on that would often be
 * mispredicted: so both are written in the same way. */
static uint8_t *put_size(uint8_t *out, size_t size) {
  if (size >= 1 << 14) return cpb_varint_write(out, size);
  size_t two = size >> 7 != 0;
  out[0] = (uint8_t)(size | two << 7);
  out[1] = (uint8_t)(size >> 7);
  return out + 1 + two;
}

bool cpb_simple_encoder_add_several(cpb_simple_encoder *e, const size_t *sizes, size_t count, uint64_t total,
                                    cpb_codec_error *error) {
  e->num_records += count;
  e->decoded_size += total;
  for (size_t at_once; count > 0; count -= at_once) {
    at_once = cpb_min_size(count, SIZES_AT_ONCE);
    if (!cpb_put_reserve(&e->sizes, at_once * CPB_VARINT_MAX, error)) return false;
    uint8_t *out = e->sizes.data + e->sizes.size;
    for (size_t i = 0; i < at_once; i++) out = put_size(out, *sizes++);
    e->sizes.size = (size_t)(out - e->sizes.data);
  }
  return true;
}

bool cpb_simple_encoder_collect(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error) {
  return cpb_put(&e->collected, bytes, error);
}

static bool stored(const cpb_simple_encoder *e) { return cpb_compressor_type(e->compressor) == CPB_RIEGELI_NONE; }

/* The compressed sizes come after their own size: so they are compressed to `body`, which is
 * still empty, first. */
static bool encode_head(cpb_simple_encoder *e, cpb_codec_error *error) {
  const uint8_t codec = cpb_compressor_type(e->compressor);
  const cpb_buffer *sizes = stored(e) ? &e->sizes : &e->body;
  if (!stored(e) && !cpb_compress_all(e->compressor, cpb_buffer_span(&e->sizes), &e->body, error)) return false;
  if (!cpb_put(&e->head, (cpb_span){&codec, 1}, error) || !cpb_put_varint(&e->head, sizes->size, error) ||
      !cpb_put(&e->head, cpb_buffer_span(sizes), error))
    return false;
  e->body.size = 0;
  return true;
}

bool cpb_simple_encoder_encode(cpb_simple_encoder *e, cpb_span records, cpb_span *body, cpb_codec_error *error) {
  if (!encode_head(e, error)) return false;
  if (stored(e)) {
    *body = records;
    return true;
  }
  if (!cpb_compress_all(e->compressor, records, &e->body, error)) return false;
  *body = cpb_buffer_span(&e->body);
  return true;
}

bool cpb_simple_encoder_begin(cpb_simple_encoder *e, cpb_codec_error *error) {
  return encode_head(e, error) && (stored(e) || cpb_compressor_begin(e->compressor, e->decoded_size, error));
}

bool cpb_simple_encoder_compress(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error) {
  return cpb_compressor_write(e->compressor, bytes, &e->body, error);
}

bool cpb_simple_encoder_finish(cpb_simple_encoder *e, cpb_codec_error *error) {
  return stored(e) || cpb_compressor_finish(e->compressor, &e->body, error);
}

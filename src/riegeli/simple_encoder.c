#include "riegeli/simple_encoder.h"

#include "riegeli/encoding.h"

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

bool cpb_simple_encoder_collect(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error) {
  return cpb_put(&e->collected, bytes, error);
}

/* The compressed sizes follow their own size, so `body`, still empty, holds
 * them meanwhile. */
static bool encode_head(cpb_simple_encoder *e, cpb_codec_error *error) {
  const uint8_t codec = cpb_compressor_type(e->compressor);
  if (!cpb_compress_all(e->compressor, cpb_buffer_span(&e->sizes), &e->body, error) ||
      !cpb_put(&e->head, (cpb_span){&codec, 1}, error) || !cpb_put_varint(&e->head, e->body.size, error) ||
      !cpb_put(&e->head, cpb_buffer_span(&e->body), error))
    return false;
  e->body.size = 0;
  return true;
}

static bool stored(const cpb_simple_encoder *e) {
  return cpb_compressor_type(e->compressor) == CPB_RIEGELI_NONE;
}

bool cpb_simple_encoder_encode(cpb_simple_encoder *e, cpb_span records, cpb_span *body,
                               cpb_codec_error *error) {
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
  return encode_head(e, error) &&
         (stored(e) || cpb_compressor_begin(e->compressor, e->decoded_size, error));
}

bool cpb_simple_encoder_compress(cpb_simple_encoder *e, cpb_span bytes, cpb_codec_error *error) {
  return cpb_compressor_write(e->compressor, bytes, &e->body, error);
}

bool cpb_simple_encoder_finish(cpb_simple_encoder *e, cpb_codec_error *error) {
  return stored(e) || cpb_compressor_finish(e->compressor, &e->body, error);
}

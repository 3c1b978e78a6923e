/* The encoder of transposed chunks: [how 1] and records, each [what 1][size 1][bytes], of which the bytes
 * are the record, or instructions for a message. What was encoded is decoded, and is the same. Memory stays
 * in proportion, and the encoder can be used again. */
#include "host.h"
#include "riegeli/transpose/encoder.h"
#include "riegeli/transpose/transpose.h"

enum { MOST_BYTES = 1 << 14, MOST_RECORDS = 500, DEEPEST = 130 };

typedef struct records {
  fuzz_out bytes;
  uint64_t ends[MOST_RECORDS];
  size_t count;
} records;

static void put_varint(fuzz_out *out, uint64_t value) {
  uint8_t bytes[CPB_VARINT_MAX];
  fuzz_put(out, bytes, (size_t)(cpb_varint_write(bytes, value) - bytes));
}

/* A field with a tag and value that depend on the two numbers. */
static void put_field(fuzz_out *out, uint32_t what, uint32_t more) {
  static const char text[] = "a string of some length, which is no message";
  const uint32_t number = 1 + (what & 16 ? more << (what >> 4) : more % 5);
  static const uint8_t wires[] = {0, 0, 1, 2, 2, 5};
  const uint8_t wire = wires[what % 6];
  put_varint(out, number << 3 | wire);
  switch (wire) {
    case 0: put_varint(out, what & 32 ? more & 7 : (uint64_t)more << (what >> 2)); break;
    case 1: fuzz_put(out, text + more % 16, 8); break;
    case 2:
      put_varint(out, more % sizeof text);
      fuzz_put(out, text, more % sizeof text);
      break;
    default: fuzz_put(out, text + more % 16, 4); break;
  }
}

static void close_message(fuzz_out *out, size_t begin, uint32_t number) {
  fuzz_out inner = {NULL, 0, 0};
  if (out->size > begin) fuzz_put(&inner, out->data + begin, out->size - begin);
  out->size = begin;
  put_varint(out, number << 3 | 2);
  put_varint(out, inner.size);
  fuzz_put(out, inner.data, inner.size);
  fuzz_free(&inner);
}

/* [what 1][more 1]: a field, many, or the beginning or end of a submessage or group. */
static void put_message(fuzz_out *out, fuzz_in in) {
  struct {
    size_t begin;
    uint32_t number, group;
  } open[DEEPEST];
  size_t depth = 0;
  while (in.size > 0 || depth > 0) {
    const uint32_t what = fuzz_number(&in, 1), more = fuzz_number(&in, 1);
    if (in.size > 0 && what < 200) {
      for (uint32_t i = 0; i < (what == 199 ? 200 : 1); i++) put_field(out, what, more + i);
    } else if (in.size > 0 && what < 230 && depth < DEEPEST && out->size < 1 << 12) {
      open[depth].begin = out->size;
      open[depth].number = 1 + more / 16;
      open[depth].group = what & 1;
      if (what & 1) put_varint(out, open[depth].number << 3 | 3);
      depth++;
    } else if (depth > 0) {
      depth--;
      if (open[depth].group) put_varint(out, open[depth].number << 3 | 4);
      else close_message(out, open[depth].begin, open[depth].number);
    }
  }
}

static void add_record(records *r, uint32_t what, fuzz_in bytes) {
  fuzz_out record = {NULL, 0, 0};
  if (what & 1) fuzz_put(&record, bytes.data, bytes.size);
  else put_message(&record, bytes);
  for (uint32_t times = 1 + (what & 2 ? what >> 2 : 0); times > 0 && r->count < MOST_RECORDS; times--) {
    if (r->bytes.size > MOST_BYTES) break;
    fuzz_put(&r->bytes, record.data, record.size);
    r->ends[r->count++] = r->bytes.size;
  }
  fuzz_free(&record);
}

/* Adds each record from a block of just its size. */
static void add_all(cpb_transpose_encoder *e, const records *r) {
  cpb_codec_error error = {CPB_OK, NULL};
  uint64_t begin = 0;
  for (size_t i = 0; i < r->count; i++) {
    const size_t size = (size_t)(r->ends[i] - begin);
    uint8_t *record = malloc(size > 0 ? size : 1);
    fuzz_check(record != NULL);
    if (size > 0) memcpy(record, r->bytes.data + begin, size);
    fuzz_check(cpb_transpose_encoder_add(e, (cpb_span){record, size}, &error));
    free(record);
    begin = r->ends[i];
  }
  fuzz_check(cpb_transpose_encoder_num_records(e) == r->count && cpb_transpose_encoder_decoded_size(e) == begin);
}

static void check(const records *r, cpb_span head, cpb_span body) {
  fuzz_out chunk = {NULL, 0, 0};
  cpb_transposed out;
  cpb_error error = {.code = CPB_OK};
  fuzz_put(&chunk, head.data, head.size);
  fuzz_put(&chunk, body.data, body.size);
  fuzz_check(
      cpb_transpose_decode(NULL, NULL, (cpb_span){chunk.data, chunk.size}, r->count, r->bytes.size, &out, &error));
  const fuzz_in values = {out.values.data, out.values.size};
  fuzz_check(out.num_records == r->count && fuzz_same(values, fuzz_view(&r->bytes)));
  for (size_t i = 0; i < r->count; i++) fuzz_check(out.ends[i] == r->ends[i]);
  cpb_transposed_free(&out);
  fuzz_free(&chunk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const cpb_codec_options codecs[] = {
      {CPB_CODEC_NONE, 0, 0}, {CPB_CODEC_NONE, 0, 0}, {CPB_CODEC_ZSTD, 1, 0}, {CPB_CODEC_BROTLI, -1, 0}};
  static const uint64_t bucket_sizes[] = {UINT64_MAX, 1, 30, 1000};
  static records r;
  fuzz_in in = {data, size};
  const uint32_t how = fuzz_number(&in, 1);
  r.count = 0;
  while (in.size > 0) {
    const uint32_t what = fuzz_number(&in, 1);
    add_record(&r, what, fuzz_bytes(&in, fuzz_number(&in, 1)));
  }
  cpb_codec_error error = {CPB_OK, NULL};
  cpb_compressor *compressor = cpb_compressor_new(NULL, &codecs[how & 3], &error);
  cpb_transpose_encoder *encoder = cpb_transpose_encoder_new(NULL);
  for (int round = 0; round < 2; round++) {
    cpb_span head, body;
    cpb_transpose_encoder_reset(encoder, how & 16 ? 5000 : 1 << 20);
    add_all(encoder, &r);
    fuzz_check(cpb_transpose_encoder_encode(encoder, compressor, bucket_sizes[how >> 2 & 3], &head, &body, &error));
    fuzz_check(cpb_transpose_encoder_memory(encoder) < (1 << 16) + 300 * (r.bytes.size + r.count));
    check(&r, head, body);
  }
  cpb_transpose_encoder_free(encoder);
  cpb_compressor_free(compressor);
  fuzz_free(&r.bytes);
  return 0;
}

/* The largest data of this module, compressed (tools/packed.py): the tables of operators, and Brotli's dictionary.
 * Each is unpacked when it is first needed, which takes a millisecond. */
#include <brotli/decode.h>
#include <common/dictionary.h>
#include <stdlib.h>

#include "model/formats/zip/deflate.h"
#include "model/operators/operators.h"
#include "packed.h"

/* Unpacks once: later calls return `*kept`. Empty when memory is short. */
static cpb_span unpacked(uint8_t **kept, const uint8_t *packed, size_t packed_size, size_t size) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  cpb_span in = {packed, packed_size};
  size_t made = 0;
  if (*kept) return (cpb_span){*kept, size};
  cpb_inflate *state = cpb_inflate_new(&a);
  uint8_t *data = state ? malloc(size) : NULL;
  if (data && cpb_inflate_read(state, &in, data, size, &made) == CPB_INFLATE_END && made == size) *kept = data;
  else free(data);
  cpb_inflate_free(state);
  return (cpb_span){*kept, *kept ? size : 0};
}

#define UNPACKED(name) unpacked(&name, packed_##name, sizeof packed_##name, unpacked_##name)

cpb_span cpb_operators_onnx(void) {
  static uint8_t *onnx;
  return UNPACKED(onnx);
}

cpb_span cpb_operators_tensorflow(void) {
  static uint8_t *tensorflow;
  return UNPACKED(tensorflow);
}

cpb_span cpb_operators_coreml(void) {
  static uint8_t *coreml;
  return UNPACKED(coreml);
}

/* Replaces BrotliDecoderCreateInstance() in decoder_brotli.c. */
BrotliDecoderState *packed_brotli(brotli_alloc_func allocate, brotli_free_func release, void *user) {
  static uint8_t *dictionary;
  const cpb_span data = UNPACKED(dictionary);
  if (data.size == 0) return NULL;
  BrotliSetDictionaryData(data.data);
  return BrotliDecoderCreateInstance(allocate, release, user);
}

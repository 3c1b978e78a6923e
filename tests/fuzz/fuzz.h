/* What the fuzz targets share. */
#ifndef CPB_TESTS_FUZZ_H
#define CPB_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpb/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes bytes off the front of the fuzzer's input. */
typedef struct fuzz_in {
  const uint8_t *data;
  size_t size;
} fuzz_in;

static inline uint32_t fuzz_number(fuzz_in *in, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes && in->size > 0; i++, in->data++, in->size--) value |= (uint32_t)*in->data << 8 * i;
  return value;
}

static inline fuzz_in fuzz_bytes(fuzz_in *in, size_t size) {
  fuzz_in out = {in->data, size < in->size ? size : in->size};
  in->data += out.size;
  in->size -= out.size;
  return out;
}

/* Small enough that no input takes long. */
static const cpb_limits fuzz_limits = {
    .struct_size = sizeof(cpb_limits),
    .riegeli_chunk = 1 << 20,
    .window = 1 << 20,
    .chunks = 1000,
    .records_per_chunk = 10000,
    .depth = 20,
};

/* A broken promise of the library, which the fuzzer then reports. */
#define fuzz_check(holds) ((holds) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #holds))

static inline void fuzz_failed(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
  abort();
}

#endif

/* The host's allocator in the shape that the codec libraries want, with a
 * ceiling on each block: a window larger than the limit is refused at the
 * moment when the library asks for its memory. (Both libraries take a window
 * no larger than the content that the stream announces for its blocks.) */
#ifndef CPB_RIEGELI_CODEC_MEMORY_H
#define CPB_RIEGELI_CODEC_MEMORY_H

#include <stdbool.h>

#include "base/alloc.h"
#include "riegeli/decompressor.h"

typedef struct cpb_codec_memory {
  cpb_allocator allocator;
  uint64_t window;
  bool refused; /* the ceiling was hit */
} cpb_codec_memory;

void cpb_codec_memory_init(cpb_codec_memory *memory, const cpb_allocator *a, uint64_t window);

/* The signature that both Brotli and Zstd call; `opaque` is the struct. */
void *cpb_codec_allocate(void *opaque, size_t size);
void cpb_codec_release(void *opaque, void *block);

/* The error after a library said that it got no memory: LIMIT with the text
 * `limit`, or MEMORY. */
void cpb_codec_no_memory(const cpb_codec_memory *memory, cpb_codec_error *error, const char *limit);

static inline void cpb_codec_fail(cpb_codec_error *error, cpb_code code, const char *what) {
  error->code = code;
  error->what = what;
}

#endif

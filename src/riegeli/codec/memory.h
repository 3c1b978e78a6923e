/* The host's allocator in the shape that the codec libraries want. It adds
 * - a ceiling on each block: a window larger than the limit is refused at the
 *   moment when the library asks for its memory (both take a window no larger
 *   than the content that the stream announces);
 * - a few blocks that are kept for the next stream, since Brotli makes its
 *   state anew for each, and fresh pages are slow. */
#ifndef CPB_RIEGELI_CODEC_MEMORY_H
#define CPB_RIEGELI_CODEC_MEMORY_H

#include <stdbool.h>

#include "base/alloc.h"
#include "riegeli/codec/codec.h"

struct cpb_codec_block;

typedef struct cpb_codec_memory {
  cpb_allocator allocator;
  uint64_t window;
  uint64_t whole;               /* the most that a decoder which cannot stream may hold */
  bool refused;                 /* the ceiling was hit */
  bool frugal;                  /* less memory counts more than speed */
  struct cpb_codec_block *lent; /* what a library has */
  struct cpb_codec_block *kept; /* the one released last is first */
  size_t kept_size;
  unsigned kept_count;
  /* When not NULL: called instead of telling the library that there is no
   * memory; does not return. */
  void (*escape)(void *user);
  void *escape_user;
} cpb_codec_memory;

void cpb_codec_memory_init(cpb_codec_memory *memory, const cpb_allocator *a, uint64_t window);
void cpb_codec_memory_free(cpb_codec_memory *memory); /* what was kept */
/* Takes back what a library holds that cannot be asked any more. */
void cpb_codec_memory_abandon(cpb_codec_memory *memory);

/* The signatures that both Brotli and Zstd call; `opaque` is the struct. */
void *cpb_codec_allocate(void *opaque, size_t size);
void cpb_codec_release(void *opaque, void *block);

/* The error after a library said that it got no memory: LIMIT with the text
 * `limit`, or MEMORY. */
void cpb_codec_no_memory(const cpb_codec_memory *memory, cpb_codec_error *error, const char *limit);

#endif

/* The host's allocator in the form that the codec libraries take. It adds
 * - a limit for each block: a window above it is refused when the library asks for its
 *   memory. (Neither library takes a window larger than the content that the stream
 *   announces, so what is refused is needed.)
 * - a few blocks that are kept for the next stream: Brotli makes its state anew for each, and
 *   fresh pages are slow. */
#ifndef CPB_RIEGELI_CODEC_MEMORY_H
#define CPB_RIEGELI_CODEC_MEMORY_H

#include <stdbool.h>

#include "base/alloc.h"
#include "riegeli/codec/codec.h"

struct cpb_codec_block;

typedef struct cpb_codec_memory {
  cpb_allocator allocator;
  uint64_t window;
  uint64_t whole;               /* the most that the host's decoder, which cannot stream, may hold */
  uint64_t keep;                /* the most bytes that are kept for the next stream */
  bool refused;                 /* a block exceeded the limit */
  bool frugal;                  /* to save memory counts more than speed */
  struct cpb_codec_block *lent; /* blocks that a library has */
  struct cpb_codec_block *kept; /* for the next stream, the latest first */
  size_t kept_size;
  unsigned kept_count;
  /* Not NULL: called if memory is short, and does not return, for a library that would otherwise end the process. */
  void (*escape)(void *user);
  void *escape_user;
} cpb_codec_memory;

void cpb_codec_memory_init(cpb_codec_memory *memory, const cpb_allocator *a, uint64_t window);
void cpb_codec_memory_free(cpb_codec_memory *memory); /* the kept blocks */
/* Takes back all blocks from a library whose state was lost, after `escape`. */
void cpb_codec_memory_abandon(cpb_codec_memory *memory);

/* As both Brotli and Zstd call them; `opaque` is the cpb_codec_memory. */
void *cpb_codec_allocate(void *opaque, size_t size);
void cpb_codec_release(void *opaque, void *block);

/* The error after a library reported that it got no memory: CPB_E_LIMIT with the message
 * `limit` if that was refused, else CPB_E_MEMORY. */
void cpb_codec_no_memory(const cpb_codec_memory *memory, cpb_codec_error *error, const char *limit);

#endif

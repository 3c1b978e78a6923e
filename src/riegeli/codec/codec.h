/* Codecs: the bytes that name them in a file, and their errors. */
#ifndef CPB_RIEGELI_CODEC_CODEC_H
#define CPB_RIEGELI_CODEC_CODEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/records.h"

/* CPB_RIEGELI_NONE and so on: the bytes. */
#define CPB_CODEC_BYTE(NAME, name, number, byte, least, most) CPB_RIEGELI_##NAME = byte,
enum { CPB_CODECS(CPB_CODEC_BYTE) };
#undef CPB_CODEC_BYTE

#define CPB_CODEC_MORE(NAME, name, number, byte, least, most) +1
enum { CPB_NUM_CODECS = 1 CPB_CODECS(CPB_CODEC_MORE) }; /* of cpb_codec, with the default */
#undef CPB_CODEC_MORE

/* An error whose file offset is the caller's to add. */
typedef struct cpb_codec_error {
  cpb_code code;    /* DAMAGED, LIMIT, MEMORY, UNSUPPORTED (unknown codec), USAGE (options) */
  const char *what; /* static, such as "Zstd: the frame is damaged" */
} cpb_codec_error;

static inline void cpb_codec_fail(cpb_codec_error *error, cpb_code code, const char *what) {
  error->code = code;
  error->what = what;
}

/* --- stored ----------------------------------------------------------------------------------- */

/* Uncompressed records that the writer does not hold. */

/* A larger record that fills a chunk alone, uncompressed, is output as it comes where that can be: holding it
 * would take more memory than all else. For smaller ones to write the header once more takes longer. */
#define CPB_STORED_MOST ((uint64_t)1 << 20)

/* --- noise ------------------------------------------------------------------------------------ */

/* Recognizes data that no codec can compress. */

/* The number of entries of the table for cpb_is_noise(): a power of two, about 1/32 of `size`. */
size_t cpb_noise_table(size_t size);

/* Whether compressing `in`, which has at least 64 KiB and less than 4 GiB, would gain less than about 1 %: all bytes
 * are about equally frequent, and hardly anything is repeated. Takes about a nanosecond for five bytes. `table` need
 * not be initialized. */
bool cpb_is_noise(cpb_span in, uint32_t *table);

/* --- memory ----------------------------------------------------------------------------------- */

/* The host's allocator in the form that the codec libraries take. It adds
 * - a limit for each block: a window above it is refused when the library asks for its
 *   memory. (Neither library takes a window larger than the content that the stream
 *   announces, so what is refused is needed.)
 * - a few blocks that are kept for the next stream: Brotli makes its state anew for each, and
 *   fresh pages are slow. */

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

/* --- decoder ---------------------------------------------------------------------------------- */

/* The interface of a decoder to decompressor.c. It decodes the codec's own stream, without
 * the size with which Riegeli prefixes it. */

typedef enum cpb_decode {
  CPB_DECODE_MORE, /* `in` is used up or `out` is full */
  CPB_DECODE_END,  /* of the stream */
  CPB_DECODE_FAILED
} cpb_decode;

/* Input and output of one call, which the decoder advances. */
typedef struct cpb_decode_io {
  cpb_span in;
  bool last; /* the input ends with `in` */
  uint8_t *out;
  size_t room;
  uint64_t claimed; /* the decompressed size that the prefix claims; it may be wrong */
  bool in_place;    /* all earlier output precedes `out`, unchanged, and no more than
                       `room` will follow: so it can serve as the window */
} cpb_decode_io;

typedef struct cpb_decoder {
  uint8_t codec;
  const char *early_end, *trailing;          /* error messages */
  void *(*create)(cpb_codec_memory *memory); /* NULL: no memory */
  void (*destroy)(void *state);
  bool (*begin)(void *state, cpb_codec_error *error); /* a new stream */
  cpb_decode (*read)(void *state, cpb_decode_io *io, cpb_codec_error *error);
  uint64_t (*window)(const void *state); /* of the current stream, in bytes; NULL: none */
  bool (*waits)(void);                   /* for its dictionary, without which it cannot begin; NULL: never */
} cpb_decoder;

extern const cpb_decoder cpb_decoder_brotli, cpb_decoder_zstd, cpb_decoder_snappy;

/* Where the last `size` bytes of output begin, for `in_place`. */
static inline uint8_t *cpb_decode_back(const cpb_decode_io *io, size_t size) {
  return size > 0 ? io->out - size : io->out; /* nothing can be added to NULL */
}

static inline void cpb_decode_advance(cpb_decode_io *io, size_t taken, size_t given) {
  if (taken > 0) io->in.data += taken;
  if (given > 0) io->out += given;
  io->in.size -= taken;
  io->room -= given;
}

/* --- encoder ---------------------------------------------------------------------------------- */

/* The interface of an encoder to compressor.c. It writes the codec's own stream, without the size that precedes it in
 * Riegeli. */

typedef struct cpb_encoder {
  uint8_t type;
  int level_default;          /* in the library's own numbers */
  int window_min, window_max; /* 0: no choice of windows */
  uint64_t size_max;          /* largest size it can encode; 0: unbounded */
  /* NULL: this build lacks the encoder. Returns NULL if memory is short. */
  void *(*create)(cpb_codec_memory *memory, int level, int window_log);
  void (*destroy)(void *state);
  bool (*begin)(void *state, uint64_t size); /* false: memory is short */
  /* `last`: the stream ends with `in`. False: memory is short. */
  bool (*write)(void *state, cpb_span in, bool last, cpb_buffer *out);
} cpb_encoder;

extern const cpb_encoder cpb_encoder_brotli, cpb_encoder_snappy, cpb_encoder_zstd;

#endif

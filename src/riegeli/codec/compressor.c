#include "riegeli/codec/compressor.h"

#include "riegeli/codec/codec.h"

struct cpb_compressor {
  cpb_codec_memory memory;
  const cpb_encoder *encoder; /* NULL: codec none */
  void *state;
  uint64_t left; /* bytes that are still to be given */
  uint8_t prefix[CPB_VARINT_MAX];
  size_t prefix_size; /* 0 once it was output */
  bool flushed;
};

/* A Brotli stream takes about 8 MiB for a chunk of 1 MiB, and the next one as much. Kept blocks take no more memory
 * than before, and zeroed pages would take a fifth of the time. */
#define KEEP ((uint64_t)16 << 20)

#define LEVELS(NAME, name, number, byte, least, most) ", " #name " " #least " to " #most

static bool out_of_range(int value, int min, int max) { return value < min || value > max; }

/* The encoder for `options`, and the level in its library's numbers. */
static bool choose_encoder(const cpb_codec_options *options, const cpb_encoder **encoder, int *level,
                           cpb_codec_error *error) {
  *encoder = NULL;
  switch (options->codec) {
    case CPB_CODEC_NONE: return true;
    case CPB_CODEC_BROTLI: *encoder = &cpb_encoder_brotli; break;
    case CPB_CODEC_DEFAULT:
    case CPB_CODEC_ZSTD: *encoder = &cpb_encoder_zstd; break;
    case CPB_CODEC_SNAPPY: *encoder = &cpb_encoder_snappy; break;
    default: cpb_codec_fail(error, CPB_E_USAGE, "codec is none of cpb_codec"); return false;
  }
  const cpb_encoder *e = *encoder;
  if (!e->create)
    return cpb_codec_fail(error, CPB_E_UNSUPPORTED, "this build of libcpb does not write this codec"), false;
  int least, most;
  cpb_codec_levels(options->codec ? options->codec : CPB_CODEC_ZSTD, &least, &most);
  *level = options->level != 0 ? options->level : e->level_default;
  if (options->level == -1 && least == 0) *level = 0;
  if (out_of_range(*level, least, most))
    return cpb_codec_fail(error, CPB_E_USAGE, "level is out of range; expected 0" CPB_CODECS(LEVELS)), false;
  if (options->window_log != 0 && out_of_range(options->window_log, e->window_min, e->window_max))
    return cpb_codec_fail(error, CPB_E_USAGE,
                          "window_log is out of range (Zstd 10 to 31, Brotli 10 to 30, Snappy none)"),
           false;
  return true;
}

static bool no_memory(cpb_codec_error *error) { return cpb_codec_fail(error, CPB_E_MEMORY, "out of memory"), false; }

cpb_compressor *cpb_compressor_new(const cpb_allocator *a, const cpb_codec_options *options, cpb_codec_error *error) {
  const cpb_encoder *encoder;
  int level;
  if (!choose_encoder(options, &encoder, &level, error)) return NULL;
  cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_compressor *c = cpb_alloc_zeroed(&allocator, sizeof *c);
  if (!c) {
    no_memory(error);
    return NULL;
  }
  cpb_codec_memory_init(&c->memory, &allocator, UINT64_MAX);
  c->memory.keep = KEEP;
  c->encoder = encoder;
  if (!encoder) return c;
  c->state = encoder->create(&c->memory, level, options->window_log);
  if (c->state) return c;
  cpb_compressor_free(c);
  no_memory(error);
  return NULL;
}

void cpb_compressor_free(cpb_compressor *c) {
  if (!c) return;
  if (c->state) c->encoder->destroy(c->state);
  cpb_codec_memory_free(&c->memory);
  cpb_release(&c->memory.allocator, c);
}

bool cpb_compressor_begin(cpb_compressor *c, uint64_t size, cpb_codec_error *error) {
  c->left = size;
  c->flushed = false;
  c->prefix_size = 0;
  if (!c->encoder) return true;
  c->prefix_size = (size_t)(cpb_varint_write(c->prefix, size) - c->prefix);
  if (c->encoder->size_max > 0 && size > c->encoder->size_max)
    return cpb_codec_fail(error, CPB_E_LIMIT, "Snappy: the data have 4 GiB or more; expected less, or another codec"),
           false;
  return c->encoder->begin(c->state, size) || no_memory(error);
}

/* The stream is ended together with its last bytes: the libraries are then faster. */
static bool write(cpb_compressor *c, cpb_span in, cpb_buffer *out) {
  c->left -= in.size;
  c->flushed = c->left == 0;
  if (!c->encoder) return cpb_buffer_append(out, in.data, in.size);
  if (!cpb_buffer_append(out, c->prefix, c->prefix_size)) return false;
  c->prefix_size = 0;
  return c->encoder->write(c->state, in, c->flushed, out);
}

bool cpb_compressor_write(cpb_compressor *c, cpb_span in, cpb_buffer *out, cpb_codec_error *error) {
  if (in.size > c->left) return cpb_codec_fail(error, CPB_E_USAGE, "more bytes to compress than announced"), false;
  return in.size == 0 || write(c, in, out) || no_memory(error);
}

bool cpb_compressor_finish(cpb_compressor *c, cpb_buffer *out, cpb_codec_error *error) {
  if (c->left > 0) return cpb_codec_fail(error, CPB_E_USAGE, "fewer bytes to compress than announced"), false;
  return c->flushed || write(c, (cpb_span){NULL, 0}, out) || no_memory(error);
}

uint8_t cpb_compressor_type(const cpb_compressor *c) { return c->encoder ? c->encoder->type : CPB_RIEGELI_NONE; }

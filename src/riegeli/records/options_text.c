/* The writer's options as text, in Riegeli's words: NAME or NAME:VALUE, between commas.
 * (https://github.com/google/riegeli/blob/master/doc/record_writer_options.md) */
#include <string.h>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/status.h"
#include "cpb/records.h"
#include "riegeli/block.h"
#include "riegeli/chunk_writer.h"

typedef struct word {
  const char *text;
  size_t size;
} word;

typedef struct parser {
  cpb_record_writer_options options;
  const char *text;
  word name, value;   /* of the option at hand; a value that is missing is empty */
  const char *window; /* where window_log is, if it is a number */
  const char *codec;  /* where the codec is, */
  word codec_name;
  unsigned seen; /* a bit for each option */
  cpb_error *error;
} parser;

/* --- Errors ---------------------------------------------------------------- */

enum { SHOWN = 48 }; /* bytes of a word in an error, where each may take four */

static const char *shown(char out[4 * SHOWN + 1], word w) { return cpb_quote(out, 4 * SHOWN + 1, w.text, w.size); }

static bool fail_value(parser *p, const char *expected) {
  char name[4 * SHOWN + 1], value[4 * SHOWN + 1];
  const word at = p->value.size > 0 ? p->value : p->name;
  return CPB_FAILS(p->error, CPB_E_USAGE, (uint64_t)(at.text - p->text), "the option %s is \"%s\"; expected %s",
                   shown(name, p->name), shown(value, p->value), expected);
}

static bool fail_name(parser *p, const char *what) {
  char name[4 * SHOWN + 1];
  return CPB_FAILS(p->error, CPB_E_USAGE, (uint64_t)(p->name.text - p->text), "the option %s %s", shown(name, p->name),
                   what);
}

/* --- Values ---------------------------------------------------------------- */

static bool is(word w, const char *text) { return strlen(text) == w.size && memcmp(w.text, text, w.size) == 0; }

static bool read_int(word w, int *value) {
  const bool negative = w.size > 0 && w.text[0] == '-';
  if (w.size == negative || w.size > 9) return false;
  int sum = 0;
  for (size_t i = negative; i < w.size; i++) {
    if (w.text[i] < '0' || w.text[i] > '9') return false;
    sum = sum * 10 + (w.text[i] - '0');
  }
  *value = negative ? -sum : sum;
  return true;
}

static const char *past_digits(const char *at) { return at + strspn(at, "0123456789"); }

/* Digits, perhaps with a point among them, and perhaps an exponent. */
static bool is_decimal(const char *text) {
  const char *at = past_digits(text);
  bool any = at > text;
  if (*at == '.') {
    const char *fraction = at + 1;
    at = past_digits(fraction);
    any = any || at > fraction;
  }
  if (any && (*at == 'e' || *at == 'E')) {
    const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
    at = past_digits(exponent);
    any = at > exponent;
  }
  return any && !*at;
}

/* A number that is not negative. */
static bool read_real(word w, double *value) {
  char text[64];
  uint64_t bits;
  if (w.size >= sizeof text || memchr(w.text, 0, w.size)) return false;
  memcpy(text, w.text, w.size);
  text[w.size] = 0;
  if (!is_decimal(text) || !cpb_decimal_read(text, false, &bits)) return false;
  memcpy(value, &bits, sizeof *value);
  return true;
}

/* A number, with the unit that may follow it. */
static bool read_bytes(word w, double most, uint64_t *value) {
  static const char units[] = "BKMGTPE";
  double number, scale = 1;
  if (w.size == 0) return false;
  const char last = w.text[w.size - 1] == 'k' ? 'K' : w.text[w.size - 1];
  const char *unit = strchr(units, last);
  for (const char *u = units; unit && u < unit; u++) scale *= 1024;
  if (unit) w.size--;
  if (!read_real(w, &number)) return false;
  number = number * scale + 0.5;
  if (number < 1 || number >= most + 1) return false;
  *value = (uint64_t)number;
  return true;
}

/* --- Options ---------------------------------------------------------------- */

static bool set_default(parser *p) {
  if (p->seen != 0) return fail_name(p, "is not the first; expected no option before it");
  return p->value.size == 0 || fail_value(p, "no value");
}

static bool read_flag(parser *p, bool *flag) {
  *flag = !is(p->value, "false");
  return p->value.size == 0 || is(p->value, "true") || !*flag || fail_value(p, "true or false");
}

static bool set_transpose(parser *p) {
  bool flag;
  if (!read_flag(p, &flag)) return false;
  p->options.transpose = flag ? CPB_TRANSPOSE_ALWAYS : CPB_TRANSPOSE_NEVER;
  return true;
}

static bool set_codec(parser *p, cpb_codec codec, int least, int most, const char *expected) {
  int level = 0;
  if (p->codec) return fail_name(p, "is a second codec; expected one");
  p->codec = p->name.text;
  p->codec_name = p->name;
  if (p->value.size > 0 && (!read_int(p->value, &level) || level < least || level > most))
    return fail_value(p, expected);
  if (codec == CPB_CODEC_BROTLI && p->value.size > 0 && level == 0) level = -1;
  p->options.codec.codec = codec;
  p->options.codec.level = level;
  return true;
}

static bool set_uncompressed(parser *p) { return set_codec(p, CPB_CODEC_NONE, 1, 0, "no value"); }
static bool set_brotli(parser *p) { return set_codec(p, CPB_CODEC_BROTLI, 0, 11, "a level from 0 to 11"); }
static bool set_zstd(parser *p) { return set_codec(p, CPB_CODEC_ZSTD, -131072, 22, "a level from -131072 to 22"); }
static bool set_snappy(parser *p) { return set_codec(p, CPB_CODEC_SNAPPY, 1, 2, "a level from 1 to 2"); }

/* Its range depends on the codec, which may come later: check_window(). */
static bool set_window_log(parser *p) {
  p->options.codec.window_log = 0;
  if (is(p->value, "auto")) return true;
  p->window = p->value.text;
  if (read_int(p->value, &p->options.codec.window_log) && p->options.codec.window_log > 0) return true;
  return fail_value(p, "auto, or a number from 10 to 31");
}

/* Which of Brotli's encoders; libcpb has one. */
static bool set_brotli_encoder(parser *p) {
  return is(p->value, "rbrotli_or_cbrotli") || is(p->value, "cbrotli") || is(p->value, "rbrotli") ||
         fail_value(p, "rbrotli_or_cbrotli, cbrotli or rbrotli");
}

static bool set_chunk_size(parser *p) {
  p->options.chunk_size = 0;
  return is(p->value, "auto") || read_bytes(p->value, 18446744073709549568.0, &p->options.chunk_size) ||
         fail_value(p, "auto, or a number of bytes, at least 1, with a suffix of B, k, K, M, G, T, P, E or none");
}

static bool set_bucket_fraction(parser *p) {
  double fraction;
  if (!read_real(p->value, &fraction) || fraction > 1) return fail_value(p, "a number from 0 to 1");
  p->options.bucket_fraction = fraction == 0 ? -1 : fraction;
  return true;
}

static bool read_padding(parser *p, uint64_t *padding) {
  *padding = CPB_BLOCK_SIZE;
  return p->value.size == 0 || read_bytes(p->value, (double)CPB_CHUNK_MAX_PADDING, padding) ||
         fail_value(p, "a number of bytes from 1 to 1G, with a suffix of B, k, K, M, G or none");
}

static bool set_initial_padding(parser *p) { return read_padding(p, &p->options.initial_padding); }
static bool set_final_padding(parser *p) { return read_padding(p, &p->options.final_padding); }

static bool set_padding(parser *p) {
  if (!read_padding(p, &p->options.initial_padding)) return false;
  p->options.final_padding = p->options.initial_padding;
  return true;
}

/* As earlier versions of Riegeli called a padding of 64K. */
static bool set_pad_to_block_boundary(parser *p) {
  const bool initial = is(p->value, "initial"), none = is(p->value, "false");
  if (!initial && !none && p->value.size > 0 && !is(p->value, "true")) return fail_value(p, "true, false or initial");
  p->options.initial_padding = none ? 0 : CPB_BLOCK_SIZE;
  p->options.final_padding = none || initial ? 0 : CPB_BLOCK_SIZE;
  return true;
}

/* Threads belong to the host. */
static bool set_parallelism(parser *p) {
  int threads;
  return (read_int(p->value, &threads) && threads >= 0) || fail_value(p, "a number from 0 on");
}

static const struct {
  const char *name;
  bool (*set)(parser *p);
} known[] = {
    {"default", set_default},
    {"transpose", set_transpose},
    {"uncompressed", set_uncompressed},
    {"brotli", set_brotli},
    {"zstd", set_zstd},
    {"snappy", set_snappy},
    {"window_log", set_window_log},
    {"brotli_encoder", set_brotli_encoder},
    {"chunk_size", set_chunk_size},
    {"bucket_fraction", set_bucket_fraction},
    {"padding", set_padding},
    {"initial_padding", set_initial_padding},
    {"final_padding", set_final_padding},
    {"pad_to_block_boundary", set_pad_to_block_boundary},
    {"parallelism", set_parallelism},
};

static bool set_option(parser *p) {
  for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
    if (!is(p->name, known[i].name)) continue;
    if (p->seen >> i & 1) return fail_name(p, "is there twice; expected each once");
    if (!known[i].set(p)) return false;
    p->seen |= 1u << i;
    return true;
  }
  return fail_name(p,
                   "is unknown; expected one of transpose, uncompressed, brotli, zstd, snappy, window_log, "
                   "chunk_size, bucket_fraction, padding, initial_padding, final_padding, parallelism, default");
}

static bool check_window(parser *p) {
  const cpb_codec_options *codec = &p->options.codec;
  const bool brotli = codec->codec == CPB_CODEC_BROTLI;
  const char *expected = brotli ? "10 to 30" : codec->codec == CPB_CODEC_ZSTD ? "10 to 31" : NULL;
  const int log = codec->window_log;
  if (!p->window || (expected && log >= 10 && log <= (brotli ? 30 : 31))) return true;
  char name[4 * SHOWN + 1];
  const word codec_name = p->codec ? p->codec_name : (word){"brotli", 6};
  return CPB_FAILS(p->error, CPB_E_USAGE, (uint64_t)(p->window - p->text),
                   "the option window_log is \"%d\"; expected auto%s%s with %s", log, expected ? " or " : "",
                   expected ? expected : "", shown(name, codec_name));
}

/* Splits what precedes the comma or the end. */
static void take_word(parser *p, const char *at, size_t size) {
  const char *colon = memchr(at, ':', size);
  p->name = (word){at, colon ? (size_t)(colon - at) : size};
  p->value = colon ? (word){colon + 1, size - p->name.size - 1} : (word){at + size, 0};
}

cpb_code cpb_record_writer_options_parse(cpb_record_writer_options *options, const char *text, cpb_error *given) {
  cpb_error spare, *error = cpb_error_begin(given, &spare);
  parser p = {.text = text, .error = error};
  cpb_options_copy(&p.options, sizeof p.options, options);
  p.options.codec = (cpb_codec_options){.codec = CPB_CODEC_BROTLI};
  p.options.chunk_size = p.options.initial_padding = p.options.final_padding = 0;
  p.options.transpose = CPB_TRANSPOSE_NEVER;
  p.options.bucket_fraction = 0;
  for (const char *at = text; *at;) {
    const size_t size = strcspn(at, ",");
    take_word(&p, at, size);
    if (size > 0 && !set_option(&p)) return error->code;
    at += size + (at[size] == ',');
  }
  if (!check_window(&p)) return error->code;
  const size_t size = options->struct_size < sizeof p.options ? options->struct_size : sizeof p.options;
  p.options.struct_size = options->struct_size;
  memcpy(options, &p.options, size);
  return CPB_OK;
}

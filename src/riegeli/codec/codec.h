/* Codecs: the bytes that name them in a file, and their errors. */
#ifndef CPB_RIEGELI_CODEC_CODEC_H
#define CPB_RIEGELI_CODEC_CODEC_H

#include <stdbool.h>

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

#endif

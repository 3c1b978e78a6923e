/* What both directions of every codec share: the codec's byte in the file, and what failed. */
#ifndef CPB_RIEGELI_CODEC_CODEC_H
#define CPB_RIEGELI_CODEC_CODEC_H

#include "cpb/base.h"

/* The bytes that name codecs in the file. */
enum { CPB_RIEGELI_NONE = 0, CPB_RIEGELI_BROTLI = 'b', CPB_RIEGELI_ZSTD = 'z', CPB_RIEGELI_SNAPPY = 's' };

/* What failed, for an error text; the file offset is the caller's to add. */
typedef struct cpb_codec_error {
  cpb_code code;    /* DAMAGED, LIMIT, MEMORY, UNSUPPORTED (unknown codec), USAGE (options) */
  const char *what; /* a static text, such as "Zstd: corrupted block" */
} cpb_codec_error;

static inline void cpb_codec_fail(cpb_codec_error *error, cpb_code code, const char *what) {
  error->code = code;
  error->what = what;
}

#endif

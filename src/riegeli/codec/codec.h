/* Codecs: the bytes that name them in a file, and their errors. */
#ifndef CPB_RIEGELI_CODEC_CODEC_H
#define CPB_RIEGELI_CODEC_CODEC_H

#include "cpb/base.h"

enum { CPB_RIEGELI_NONE = 0, CPB_RIEGELI_BROTLI = 'b', CPB_RIEGELI_ZSTD = 'z', CPB_RIEGELI_SNAPPY = 's' };

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

/* Lists names in a zip archive from only its first and last bytes: enough to identify the archive. */
#ifndef CPB_MODEL_FORMATS_ZIP_GLANCE_H
#define CPB_MODEL_FORMATS_ZIP_GLANCE_H

#include <stdbool.h>

#include "base/bytes.h"

typedef struct cpb_zip_glance {
  bool is_whole;      /* the complete directory is there: the archive has no other names */
  cpb_span locals;    /* local headers, one after the other, with the bytes between them */
  cpb_span directory; /* entries of the directory */
} cpb_zip_glance;

/* An archive of `size` bytes that begins with `begin` and ends with `end`. */
cpb_zip_glance cpb_zip_glance_at(cpb_span begin, cpb_span end, uint64_t size);

/* The next name; false after the last one that is available. */
bool cpb_zip_glance_next(cpb_zip_glance *glance, cpb_span *name);

#endif

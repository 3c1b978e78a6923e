/* The names in a zip archive of which only the first and the last bytes are at hand: enough to tell what it is. */
#ifndef CPB_MODEL_FORMATS_ZIP_GLANCE_H
#define CPB_MODEL_FORMATS_ZIP_GLANCE_H

#include <stdbool.h>

#include "base/bytes.h"

typedef struct cpb_zip_glance {
  bool is_whole;      /* the directory is there: the archive has no other names */
  cpb_span locals;    /* local headers, one after the other, with what is between them */
  cpb_span directory; /* entries of the directory */
} cpb_zip_glance;

/* An archive of `size` bytes that begins with `begin` and ends with `end`. */
cpb_zip_glance cpb_zip_glance_at(cpb_span begin, cpb_span end, uint64_t size);

/* The next name; false after the last that is in sight. */
bool cpb_zip_glance_next(cpb_zip_glance *glance, cpb_span *name);

#endif

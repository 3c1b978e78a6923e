/* Identifies a file that cannot be read as the one expected next to a model, such as a file with values. */
#ifndef CPB_MODEL_FOREIGN_INSTEAD_H
#define CPB_MODEL_FOREIGN_INSTEAD_H

#include <stdbool.h>

#include "base/input.h"

typedef struct cpb_foreign_instead {
  uint8_t begin[256]; /* its first bytes */
  size_t size;        /* number of these bytes so far; 0 at first */
} cpb_foreign_instead;

/* Identifies the input's current file, and reads its beginning if that is short. CPB_HAVE: `out` is set. */
cpb_have cpb_foreign_find_instead(cpb_foreign_instead *instead, cpb_input *input, char *out, size_t room);

#endif

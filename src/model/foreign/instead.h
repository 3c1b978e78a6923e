/* What lies in the place of a file beside a model, such as one with values, which cannot be read as what it should. */
#ifndef CPB_MODEL_FOREIGN_INSTEAD_H
#define CPB_MODEL_FOREIGN_INSTEAD_H

#include <stdbool.h>

#include "base/input.h"

typedef struct cpb_foreign_instead {
  uint8_t begin[256]; /* its first bytes */
  size_t size;        /* how many of them are there; at first 0 */
} cpb_foreign_instead;

/* The same of the file that `input` is turned to, of which the beginning is read if it is small. CPB_HAVE: `out` is
 * there. */
cpb_have cpb_foreign_find_instead(cpb_foreign_instead *instead, cpb_input *input, char *out, size_t room);

#endif

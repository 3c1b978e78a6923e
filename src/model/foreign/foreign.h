/* Identifies files that are not models of a known kind, by their first and last bytes alone. */
#ifndef CPB_MODEL_FOREIGN_FOREIGN_H
#define CPB_MODEL_FOREIGN_FOREIGN_H

#include <stdbool.h>

#include "base/input.h"
#include "cpb/model.h"
#include "model/foreign/rows.h"

/* `ends` as from cpb_ends_copy(). */
cpb_foreign cpb_foreign_look(const cpb_file_ends *ends);

/* --- parts ------------------------------------------------------------------------------------ */

/* The steps of cpb_foreign_look(), in this order; each returns false if none of its formats fits. */

bool cpb_foreign_signature(const cpb_file_ends *ends, cpb_foreign *found); /* by bytes at a fixed place */
bool cpb_foreign_archive(const cpb_file_ends *ends, cpb_foreign *found);   /* zip, tar, gzip */
bool cpb_foreign_binary(const cpb_file_ends *ends, cpb_foreign *found);    /* by more than a signature */
bool cpb_foreign_message(const cpb_file_ends *ends, cpb_foreign *found);   /* protobuf messages that are not models */
bool cpb_foreign_text(const cpb_file_ends *ends, cpb_foreign *found);

/* --- instead ---------------------------------------------------------------------------------- */

/* Identifies a file that cannot be read as the one expected next to a model, such as a file with values. */

typedef struct cpb_foreign_instead {
  uint8_t begin[256]; /* its first bytes */
  size_t size;        /* number of these bytes so far; 0 at first */
} cpb_foreign_instead;

/* Identifies the input's current file, and reads its beginning if that is short. CPB_HAVE: `out` is set. */
cpb_have cpb_foreign_find_instead(cpb_foreign_instead *instead, cpb_input *input, char *out, size_t room);

#endif

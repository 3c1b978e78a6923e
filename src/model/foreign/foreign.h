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

/* Identifies a small file that is in the place of the one expected next to a model, such as a Git LFS pointer. */

typedef struct cpb_foreign_instead {
  uint8_t begin[256]; /* its first bytes */
  size_t size;        /* number of these bytes so far; 0 at first */
  bool done;
} cpb_foreign_instead;

/* Identifies the input's current file, once. CPB_HAVE: `out` says what it is; "": what is expected, as far as this can
 * tell. `next` is the range that the caller reads next: one need asks for the beginning and for that, and a file in
 * which it begins far from the beginning is too large to be anything else. If nothing is read next, it is {0, 0}. */
cpb_have cpb_foreign_find_instead(cpb_foreign_instead *instead, cpb_input *input, cpb_range next, char *out,
                                  size_t room);

/* Like cpb_input_span(), in a file with values: the first of these bytes, at most `most`, after it has been identified.
 * CPB_AT_END: `out` says what the file is, or is "" if it is only too short. */
cpb_have cpb_foreign_span(cpb_foreign_instead *instead, cpb_input *input, cpb_range left, size_t most, cpb_span *bytes,
                          char *out, size_t room);

#endif

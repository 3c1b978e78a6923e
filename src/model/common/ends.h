/* The beginning and end of a file, which identify its format (cpb_file_ends). */
#ifndef CPB_MODEL_COMMON_ENDS_H
#define CPB_MODEL_COMMON_ENDS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/model.h"

/* Copies the caller's struct, whose size may differ. It limits the bytes to those that are examined, fills in the
 * file's size if that is known, and sets the last bytes if the first ones are the whole file. */
void cpb_ends_copy(cpb_file_ends *ends, const cpb_file_ends *given);

cpb_span cpb_ends_begin(const cpb_file_ends *ends);
cpb_span cpb_ends_end(const cpb_file_ends *ends);

/* Whether the name has this ending, ignoring ASCII case. `ending` is lower case. */
bool cpb_ends_named(const cpb_file_ends *ends, const char *ending);

#endif

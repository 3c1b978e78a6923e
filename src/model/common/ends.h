/* What is looked at of a file to tell what it is (cpb_file_ends). */
#ifndef CPB_MODEL_COMMON_ENDS_H
#define CPB_MODEL_COMMON_ENDS_H

#include <stdbool.h>

#include "base/bytes.h"
#include "cpb/model.h"

/* The caller's, of a size that both know: no more bytes than are looked at, a size that is known if it can be, and the
 * last bytes where the first ones are all. */
void cpb_ends_copy(cpb_file_ends *ends, const cpb_file_ends *given);

cpb_span cpb_ends_begin(const cpb_file_ends *ends);
cpb_span cpb_ends_end(const cpb_file_ends *ends);

/* Whether the name ends so; the case of ASCII letters does not count. `ending` is in small ones. */
bool cpb_ends_named(const cpb_file_ends *ends, const char *ending);

#endif

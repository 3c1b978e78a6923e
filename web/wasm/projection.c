/* Whether the module reads only some fields of records (riegeli/projection.h). */
#include <stdbool.h>

extern const bool cpb_has_projection;
const bool cpb_has_projection = HAS_PROJECTION;

/* What a module has that others do not: riegeli/projection.h, model/common/kind.h. */
#include <stdbool.h>

extern const bool cpb_has_projection, cpb_has_whole_model;
const bool cpb_has_projection = HAS_PROJECTION;
const bool cpb_has_whole_model = HAS_WHOLE_MODEL;

/* What is left of an item of a damaged model. */
#ifndef CPB_MODEL_DIFF_PART_H
#define CPB_MODEL_DIFF_PART_H

#include "base/json_read.h"

/* Whether `part` may be what is left of `whole`, of which a model has lost the rest: members and elements are missing,
 * numbers are zero and texts are empty, and nothing else differs. */
bool cpb_diff_is_part(yyjson_val *part, yyjson_val *whole);

#endif

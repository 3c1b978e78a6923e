/* An item of an answer as normalized text: without offsets, node ids and other details that vary for the same thing. */
#ifndef CPB_MODEL_DIFF_PLAIN_H
#define CPB_MODEL_DIFF_PLAIN_H

#include "base/json_read.h"
#include "base/json_writer.h"

#define CPB_DIFF_DEPTH 256 /* answers are less deep; deeper values are written as null */

/* Writes `value`, without the members `ignored` (up to a NULL, or NULL); with `deep`, nested objects lack them as well.
 * Ranges keep only their size, tensors only dtype and shape, because values are compared separately. Names that
 * TensorFlow numbers in each run are left out as well. */
void cpb_diff_plain(cpb_json_writer *out, yyjson_val *value, const char *const *ignored, bool deep);

/* Writes `value` unchanged. */
void cpb_diff_copy(cpb_json_writer *out, const char *key, yyjson_val *value);

#endif

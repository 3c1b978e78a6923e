/* An item of an answer as text that is the same for the same thing: without offsets, node
 * ids and the like. */
#ifndef CPB_MODEL_DIFF_PLAIN_H
#define CPB_MODEL_DIFF_PLAIN_H

#include "base/json_read.h"
#include "base/json_writer.h"

#define CPB_DIFF_DEPTH 256 /* answers nest less deep; what is deeper is written as null */

/* Writes `value`. Of the item itself the members `ignored` (up to a NULL, or NULL) are left
 * out; `deep`: those within it as well. Of a range only the size stays, of a tensor only
 * dtype and shape: its values are compared by themselves. Names that are numbers of one run of TensorFlow's are left
 * out, too. */
void cpb_diff_plain(cpb_json_writer *out, yyjson_val *value, const char *const *ignored, bool deep);

/* Writes `value` as it is. */
void cpb_diff_copy(cpb_json_writer *out, const char *key, yyjson_val *value);

#endif

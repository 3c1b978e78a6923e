/* The first values of a tensor that is in memory. */
#ifndef CPB_MODEL_TENSORFLOW_PREVIEW_H
#define CPB_MODEL_TENSORFLOW_PREVIEW_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* Members of an object, of a TensorProto in `part`: "elements" and "bytes", if its shape is known; and if
 * its values are in memory, "preview", the first of them, with "preview_more": true if there are others. */
void cpb_write_preview(cpb_json_writer *answer, const cpb_part *part, cpb_span tensor);

#endif

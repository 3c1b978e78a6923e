/* A text that may be long, in an answer. */
#ifndef CPB_MODEL_COMMON_TEXT_H
#define CPB_MODEL_COMMON_TEXT_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* A string of up to 64 bytes; for a longer one {"text", "size"} with its beginning, or null if it is not in memory. */
void cpb_write_short_text(cpb_json_writer *answer, const cpb_part *part, cpb_span text);

#endif

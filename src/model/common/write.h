/* What answers about several kinds of models have in common, in JSON. */
#ifndef CPB_MODEL_COMMON_WRITE_H
#define CPB_MODEL_COMMON_WRITE_H

#include "base/bytes.h"
#include "base/json_writer.h"

/* Names out of the messages' string fields `number`, as a list. */
void cpb_write_strings(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* Where something lies: {"offset", "size"}. */
void cpb_write_range(cpb_json_writer *answer, const char *key, cpb_range range);

#endif

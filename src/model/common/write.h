/* JSON that answers about several kinds of models share. */
#ifndef CPB_MODEL_COMMON_WRITE_H
#define CPB_MODEL_COMMON_WRITE_H

#include "base/bytes.h"
#include "base/json_writer.h"

/* The texts in field `number` of the message, as a list. */
void cpb_write_strings(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* A range: {"offset", "size"}. */
void cpb_write_range(cpb_json_writer *answer, const char *key, cpb_range range);

#endif

/* Attributes of nodes and functions, in an answer. */
#ifndef CPB_MODEL_TENSORFLOW_ATTRIBUTES_H
#define CPB_MODEL_TENSORFLOW_ATTRIBUTES_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* An AttrValue as members "kind" and "value". */
void cpb_write_attr(cpb_json_writer *answer, const cpb_part *part, cpb_span value);
/* A map of AttrValues as a list of {"name", "kind", "value"}, by name. When memory is
 * short the answer has failed. */
void cpb_write_attrs(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message, uint32_t number);

#endif

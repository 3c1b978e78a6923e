/* A node's attributes, in JSON. */
#ifndef CPB_MODEL_ONNX_ATTRIBUTES_H
#define CPB_MODEL_ONNX_ATTRIBUTES_H

#include "base/json_writer.h"
#include "model/common/part.h"

/* Members of an object, of an AttributeProto: "name", "kind", and "value"; or "reference", the attribute of the
 * function around it whose value it has. Of a graph the value is {"graph", "nodes"} with its own name. */
void cpb_onnx_write_attribute(cpb_json_writer *answer, const cpb_part *part, cpb_span attribute);

/* A list of the messages in field `number`. */
void cpb_onnx_write_attributes(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span message,
                               uint32_t number);

#endif

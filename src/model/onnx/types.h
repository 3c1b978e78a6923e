/* What values of a graph are: TypeProto and ValueInfoProto, in JSON. */
#ifndef CPB_MODEL_ONNX_TYPES_H
#define CPB_MODEL_ONNX_TYPES_H

#include "base/bytes.h"
#include "base/json_writer.h"

/* Members of an object, of a TypeProto: "dtype" and "shape" of a tensor, of a sparse one also "sparse": true.
 * A shape is a list of sizes, of names of sizes, and of null for those that are not known; null for one of
 * unknown rank. Of other types "type": {"sequence": ...}, {"optional": ...}, {"map": {"key", "value"}} or
 * {"opaque": NAME}, where an element is such members again. */
void cpb_onnx_write_type(cpb_json_writer *answer, cpb_span type);

/* An object, of a ValueInfoProto: "name", and those. */
void cpb_onnx_write_value_info(cpb_json_writer *answer, cpb_span value_info);

/* The sizes of a field of varints, as a list. */
void cpb_onnx_write_dims(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

#endif

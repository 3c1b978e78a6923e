/* Members of a layer's config, in an answer. */
#ifndef CPB_MODEL_KERAS_CONFIG_H
#define CPB_MODEL_KERAS_CONFIG_H

#include "model/keras/layers.h"

/* A tuple's or shape's items; any other value as it is. */
yyjson_val *cpb_keras_unwrap(yyjson_val *value);
/* The value, with plain lists for tuples and shapes, and without the member `except`
 * (may be NULL). */
void cpb_keras_put(cpb_json_writer *answer, const char *key, yyjson_val *value, const char *except);
/* Lists of {"layer", "node_index", "tensor_index"}: every reference to an output of a
 * layer that is somewhere in the value. */
void cpb_keras_put_references(cpb_json_writer *answer, const char *key, yyjson_val *value);
/* What a layer is called with: a list of such lists, one for each call. */
void cpb_keras_put_calls(const cpb_keras *keras, const cpb_keras_layer *layer, cpb_json_writer *answer);

#endif

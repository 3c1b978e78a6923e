/* Writes members of a layer's config into an answer. */
#ifndef CPB_MODEL_KERAS_CONFIG_H
#define CPB_MODEL_KERAS_CONFIG_H

#include "model/keras/layers.h"

/* The items of a tuple or shape; any other value unchanged. */
yyjson_val *cpb_keras_unwrap(yyjson_val *value);
/* The value, with plain lists for tuples and shapes, and without the member `except`
 * (may be NULL). */
void cpb_keras_put(cpb_json_writer *answer, const char *key, yyjson_val *value, const char *except);
/* A list of {"layer", "node_index", "tensor_index"} for all references to layer outputs within the value. */
void cpb_keras_put_references(cpb_json_writer *answer, const char *key, yyjson_val *value);
/* The inputs of a layer's calls: a list of such lists, one for each call. */
void cpb_keras_put_calls(const cpb_keras *keras, const cpb_keras_layer *layer, cpb_json_writer *answer);

#endif

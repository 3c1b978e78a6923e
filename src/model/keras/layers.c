#include "model/keras/layers.h"

static yyjson_val *unless_null(yyjson_val *value) { return yyjson_is_null(value) ? NULL : value; }

yyjson_val *cpb_keras_get(const cpb_keras_layer *layer, const char *key) {
  yyjson_val *value = unless_null(cpb_keras_member(layer->members, layer->said, key));
  return value ? value : unless_null(cpb_keras_member(layer->members, layer->entry, key));
}

yyjson_val *cpb_keras_config(const cpb_keras_layer *layer, const char *key) {
  return unless_null(cpb_keras_member(layer->members, cpb_keras_get(layer, "config"), key));
}

cpb_span cpb_keras_class(const cpb_keras_layer *layer) {
  cpb_span text = {0};
  cpb_json_text(cpb_keras_get(layer, "class_name"), &text);
  return text;
}

cpb_span cpb_keras_name(const cpb_keras_layer *layer) {
  cpb_span text = {0};
  if (!cpb_json_text(cpb_keras_get(layer, "name"), &text)) cpb_json_text(cpb_keras_config(layer, "name"), &text);
  return text;
}

bool cpb_keras_is_trainable(const cpb_keras *k, const cpb_keras_layer *layer) {
  for (;; layer = &k->layers[layer->parent]) {
    yyjson_val *said = cpb_keras_get(layer, "trainable");
    if (!said) said = cpb_keras_config(layer, "trainable");
    if (said) return !yyjson_is_false(said);
    if (layer->parent == CPB_KERAS_NONE) return true;
  }
}

bool cpb_keras_is_model(const cpb_keras *k, const cpb_keras_layer *layer) {
  if (layer->object == CPB_KERAS_NONE) return cpb_keras_config(layer, "layers") != NULL;
  cpb_span identifier = k->objects[layer->object].identifier;
  return cpb_span_is(identifier, "_tf_keras_model") || cpb_span_is(identifier, "_tf_keras_network") ||
         cpb_span_is(identifier, "_tf_keras_sequential");
}

yyjson_val *cpb_keras_input_shape(const cpb_keras_layer *layer) {
  yyjson_val *shape = cpb_keras_get(layer, "build_input_shape");
  if (!shape) shape = cpb_keras_get(layer, "batch_input_shape");
  return shape ? shape : cpb_keras_config(layer, "batch_input_shape");
}

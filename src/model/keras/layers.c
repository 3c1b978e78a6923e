#include "base/alloc.h"
#include "model/common/cursor.h"
#include "model/keras/keras.h"

/* --- objects ---------------------------------------------------------------------------------- */

static cpb_keras_object decode_object(cpb_span message, uint64_t offset) {
  cpb_span version = cpb_get_bytes(message, OBJECT_VERSION);
  return (cpb_keras_object){
      .offset = offset,
      .node = (int32_t)(uint32_t)cpb_get_number(message, OBJECT_NODE_ID),
      .path = cpb_get_bytes(message, OBJECT_NODE_PATH),
      .identifier = cpb_get_bytes(message, OBJECT_IDENTIFIER),
      .metadata = cpb_get_bytes(message, OBJECT_METADATA),
      .producer = (int32_t)(uint32_t)cpb_get_number(version, VERSION_PRODUCER),
      .min_consumer = (int32_t)(uint32_t)cpb_get_number(version, VERSION_MIN_CONSUMER),
  };
}

static bool is_damaged(cpb_span message) {
  cpb_cursor cursor = cpb_cursor_of(message);
  while (cpb_cursor_next(&cursor)) continue;
  return cursor.damaged;
}

bool cpb_keras_decode(const cpb_allocator *a, cpb_span message, cpb_keras_list *list, cpb_problems *problems) {
  cpb_cursor cursor = cpb_cursor_of(message);
  uint64_t offset = 0; /* after the last object */
  while (cpb_cursor_find(&cursor, METADATA_NODES, CPB_WIRE_LEN)) {
    if (!CPB_RESERVE(a, &list->objects, &list->capacity, list->count + 1)) return false;
    offset = (uint64_t)(cursor.at - message.data) - cursor.bytes.size;
    list->objects[list->count++] = decode_object(cursor.bytes, offset);
    if (is_damaged(cursor.bytes)) cpb_problems_add(problems, offset, "a SavedObject cannot be parsed");
    offset += cursor.bytes.size;
  }
  if (cursor.damaged) cpb_problems_add_damage(problems, offset, "SavedMetadata cannot be parsed from here on");
  return true;
}

void cpb_keras_list_free(const cpb_allocator *a, cpb_keras_list *list) {
  cpb_release(a, list->objects);
  *list = (cpb_keras_list){0};
}

bool cpb_keras_is_identifier(cpb_span identifier) { return cpb_span_begins(identifier, cpb_span_of("_tf_keras_")); }

bool cpb_keras_is_metric(const cpb_keras_object *object) { return cpb_span_is(object->identifier, "_tf_keras_metric"); }

/* --- layers ----------------------------------------------------------------------------------- */

/* The metadata of the layer's own object counts first; the entry in the model's config fills the gaps. A null counts
 * as missing. */

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

/* --- class names ------------------------------------------------------------------------------ */

/* Those that have variables, as Keras writes them with underscores. */
static const struct {
  const char *name, *class;
} known[] = {
    {"attention", "Attention"},
    {"additive_attention", "AdditiveAttention"},
    {"batch_normalization", "BatchNormalization"},
    {"bidirectional", "Bidirectional"},
    {"category_encoding", "CategoryEncoding"},
    {"conv1d", "Conv1D"},
    {"conv1d_transpose", "Conv1DTranspose"},
    {"conv2d", "Conv2D"},
    {"conv2d_transpose", "Conv2DTranspose"},
    {"conv3d", "Conv3D"},
    {"conv3d_transpose", "Conv3DTranspose"},
    {"conv_lstm1d", "ConvLSTM1D"},
    {"conv_lstm2d", "ConvLSTM2D"},
    {"conv_lstm3d", "ConvLSTM3D"},
    {"dense", "Dense"},
    {"depthwise_conv1d", "DepthwiseConv1D"},
    {"depthwise_conv2d", "DepthwiseConv2D"},
    {"einsum_dense", "EinsumDense"},
    {"embedding", "Embedding"},
    {"gru", "GRU"},
    {"gru_cell", "GRUCell"},
    {"group_normalization", "GroupNormalization"},
    {"group_query_attention", "GroupQueryAttention"},
    {"lstm", "LSTM"},
    {"lstm_cell", "LSTMCell"},
    {"layer_normalization", "LayerNormalization"},
    {"multi_head_attention", "MultiHeadAttention"},
    {"normalization", "Normalization"},
    {"p_re_lu", "PReLU"},
    {"rnn", "RNN"},
    {"seed_generator", "SeedGenerator"},
    {"separable_conv1d", "SeparableConv1D"},
    {"separable_conv2d", "SeparableConv2D"},
    {"simple_rnn", "SimpleRNN"},
    {"simple_rnn_cell", "SimpleRNNCell"},
    {"spectral_normalization", "SpectralNormalization"},
    {"stacked_rnn_cells", "StackedRNNCells"},
    {"time_distributed", "TimeDistributed"},
    {"unit_normalization", "UnitNormalization"},
};

cpb_span cpb_keras_class_of_name(cpb_span path) {
  const cpb_span name = cpb_span_without_number(cpb_span_last_part(path));
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (cpb_span_is(name, known[i].name)) return cpb_span_of(known[i].class);
  return (cpb_span){NULL, 0};
}

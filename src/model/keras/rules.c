/* Computes the number of parameters of a Keras layer from its config and the shape that it was built for. Layers of
 * other classes, or without the values that the rule needs, are not counted. */
#include "model/keras/keras.h"

#include "base/checked.h"

#define RANK 8
#define EQUATION 256 /* bytes of an EinsumDense equation */

typedef struct facts {
  const cpb_keras_layer *layer;
  int64_t shape[RANK]; /* that the layer was built for; -1: any size */
  size_t rank;
  bool holds_layers; /* whose parameters are included */
  bool known;
  uint64_t trainable, fixed;
} facts;

/* --- Facts ------------------------------------------------------------------- */

/* A value that is missing, of another type, or too large makes the result unknown and counts as 0. The rules
 * therefore go on without checks, and read like the formulas. */

static uint64_t give_up(facts *f) {
  f->known = false;
  return 0;
}

static uint64_t times(facts *f, uint64_t a, uint64_t b) {
  uint64_t product;
  return cpb_mul_u64(a, b, &product) ? product : give_up(f);
}

static uint64_t plus(facts *f, uint64_t a, uint64_t b) {
  uint64_t sum;
  return cpb_add_u64(a, b, &sum) ? sum : give_up(f);
}

static uint64_t number(facts *f, yyjson_val *value) {
  uint64_t n;
  return cpb_json_unsigned(value, &n) ? n : give_up(f);
}

static uint64_t setting(facts *f, const char *key) { return number(f, cpb_keras_config(f->layer, key)); }

static uint64_t setting_or(facts *f, const char *key, uint64_t otherwise) {
  yyjson_val *value = cpb_keras_config(f->layer, key);
  return value ? number(f, value) : otherwise;
}

static bool is_set(facts *f, const char *key, bool otherwise) {
  yyjson_val *value = cpb_keras_config(f->layer, key);
  return value ? yyjson_is_true(value) : otherwise;
}

/* The product of a list of numbers; or the number, if it is only one. */
static uint64_t product(facts *f, const char *key) {
  yyjson_val *value = cpb_keras_unwrap(cpb_keras_config(f->layer, key)), *element;
  yyjson_arr_iter all;
  if (!yyjson_arr_iter_init(value, &all)) return number(f, value);
  if (yyjson_arr_size(value) > RANK) return give_up(f);
  uint64_t result = 1;
  while ((element = yyjson_arr_iter_next(&all)) != NULL) result = times(f, result, number(f, element));
  return result;
}

/* An axis may be counted from the end. */
static uint64_t dimension(facts *f, int64_t axis) {
  if (axis < 0) axis += (int64_t)f->rank;
  if (axis < 0 || axis >= (int64_t)f->rank || f->shape[axis] < 0) return give_up(f);
  return (uint64_t)f->shape[axis];
}

static uint64_t last(facts *f) { return dimension(f, -1); }

static uint64_t channels(facts *f) {
  cpb_span format;
  bool first =
      cpb_json_text(cpb_keras_config(f->layer, "data_format"), &format) && cpb_span_is(format, "channels_first");
  return dimension(f, first ? 1 : -1);
}

/* The product of the axis or axes that the config names. */
static uint64_t axes(facts *f, const char *key, int64_t otherwise) {
  yyjson_val *value = cpb_keras_unwrap(cpb_keras_config(f->layer, key)), *element;
  int64_t axis = otherwise;
  yyjson_arr_iter all;
  if (!yyjson_arr_iter_init(value, &all)) {
    if (value && !cpb_json_signed(value, &axis)) return give_up(f);
    return dimension(f, axis);
  }
  if (yyjson_arr_size(value) > RANK) return give_up(f);
  uint64_t result = 1;
  while ((element = yyjson_arr_iter_next(&all)) != NULL)
    result = cpb_json_signed(element, &axis) ? times(f, result, dimension(f, axis)) : give_up(f);
  return result;
}

static void read_shape(facts *f) {
  yyjson_val *shape = cpb_keras_unwrap(cpb_keras_input_shape(f->layer)), *element;
  yyjson_arr_iter all;
  if (!yyjson_arr_iter_init(shape, &all) || yyjson_arr_size(shape) > RANK) return;
  while ((element = yyjson_arr_iter_next(&all)) != NULL) {
    int64_t *size = &f->shape[f->rank++];
    if (!cpb_json_signed(element, size) || *size < 0) *size = -1;
  }
}

/* --- Rules -------------------------------------------------------------------- */

static void none(facts *f) { (void)f; }

static void held(facts *f) {
  if (!f->holds_layers) give_up(f);
}

static void with_bias(facts *f, uint64_t weights, uint64_t bias) {
  f->trainable = plus(f, weights, is_set(f, "use_bias", true) ? bias : 0);
}

static void dense(facts *f) {
  uint64_t units = setting(f, "units");
  with_bias(f, times(f, last(f), units), units);
}

static void embedding(facts *f) { f->trainable = times(f, setting(f, "input_dim"), setting(f, "output_dim")); }

static void convolution(facts *f) {
  uint64_t filters = setting(f, "filters"), groups = setting_or(f, "groups", 1), in = channels(f);
  if (groups == 0) give_up(f);
  else with_bias(f, times(f, product(f, "kernel_size"), times(f, in / groups, filters)), filters);
}

static void depthwise_convolution(facts *f) {
  uint64_t out = times(f, channels(f), setting_or(f, "depth_multiplier", 1));
  with_bias(f, times(f, product(f, "kernel_size"), out), out);
}

static void separable_convolution(facts *f) {
  uint64_t filters = setting(f, "filters"), between = times(f, channels(f), setting_or(f, "depth_multiplier", 1));
  uint64_t weights = plus(f, times(f, product(f, "kernel_size"), between), times(f, between, filters));
  with_bias(f, weights, filters);
}

static void scale_and_center(facts *f, uint64_t size) {
  f->trainable = times(f, size, (uint64_t)is_set(f, "scale", true) + is_set(f, "center", true));
}

static void batch_normalization(facts *f) {
  uint64_t size = axes(f, "axis", -1);
  scale_and_center(f, size);
  f->fixed = times(f, 2, size);
  if (is_set(f, "renorm", false)) give_up(f);
}

static void layer_normalization(facts *f) { scale_and_center(f, axes(f, "axis", -1)); }

/* The result of adapt(), unless the config has the values. */
static void normalization(facts *f) {
  if (cpb_keras_config(f->layer, "mean")) return;
  uint64_t size = cpb_keras_config(f->layer, "axis") ? axes(f, "axis", -1) : 1;
  f->fixed = plus(f, times(f, 2, size), 1);
}

/* Boundaries are learned as well, unless the config has them. */
static void discretization(facts *f) {
  if (!cpb_keras_config(f->layer, "bin_boundaries")) give_up(f);
}

static void recurrent(facts *f, uint64_t gates, uint64_t biases) {
  uint64_t units = setting(f, "units"), weights = times(f, plus(f, last(f), units), units);
  with_bias(f, times(f, gates, weights), times(f, gates * biases, units));
}

static void simple_recurrent(facts *f) {
  if (!f->holds_layers) recurrent(f, 1, 1);
}

static void lstm(facts *f) {
  if (!f->holds_layers) recurrent(f, 4, 1);
}

static void gru(facts *f) {
  if (!f->holds_layers) recurrent(f, 3, is_set(f, "reset_after", true) ? 2 : 1);
}

static void convolutional_lstm(facts *f) {
  if (f->holds_layers) return;
  uint64_t filters = setting(f, "filters"), in = plus(f, channels(f), filters);
  uint64_t gates = times(f, 4, filters);
  with_bias(f, times(f, product(f, "kernel_size"), times(f, in, gates)), gates);
}

static void prelu(facts *f) {
  yyjson_val *shared = cpb_keras_unwrap(cpb_keras_config(f->layer, "shared_axes")), *element;
  yyjson_arr_iter all;
  int64_t axis;
  if (yyjson_arr_iter_init(shared, &all)) {
    while ((element = yyjson_arr_iter_next(&all)) != NULL)
      if (cpb_json_signed(element, &axis) && axis > 0 && axis < (int64_t)f->rank) f->shape[axis] = 1;
  }
  f->trainable = 1;
  if (f->rank < 2) give_up(f);
  for (size_t i = 1; i < f->rank; i++) f->trainable = times(f, f->trainable, dimension(f, (int64_t)i));
}

static void attention(facts *f) {
  cpb_span mode;
  bool concat = cpb_json_text(cpb_keras_config(f->layer, "score_mode"), &mode) && cpb_span_is(mode, "concat");
  f->trainable = (uint64_t)is_set(f, "use_scale", false) + concat;
}

static void additive_attention(facts *f) {
  if (is_set(f, "use_scale", true)) give_up(f);
}

/* --- EinsumDense ---------------------------------------------------------------- */

/* "abc,cde->abde", perhaps with an ellipsis before or after the first and third part. */
typedef struct einsum {
  cpb_span input, weights, output; /* without the ellipsis */
  bool left;                       /* the ellipsis comes first */
} einsum;

static cpb_span strip(cpb_span part, bool *left) {
  cpb_span dots = cpb_span_of("...");
  if (cpb_span_begins(part, dots)) {
    *left = true;
    part = cpb_span_from(part, 3);
  }
  while (part.size > 0 && part.data[part.size - 1] == '.') part.size--;
  return part;
}

static bool split_equation(cpb_span text, einsum *e) {
  const uint8_t *comma = text.size > 0 && text.size <= EQUATION ? memchr(text.data, ',', text.size) : NULL;
  if (!comma) return false;
  cpb_span rest = cpb_span_from(text, (size_t)(comma - text.data) + 1);
  const uint8_t *arrow = rest.size > 0 ? memchr(rest.data, '-', rest.size) : NULL;
  if (!arrow || (size_t)(arrow - rest.data) + 2 > rest.size) return false;
  *e = (einsum){.weights = {rest.data, (size_t)(arrow - rest.data)}};
  e->input = strip((cpb_span){text.data, (size_t)(comma - text.data)}, &e->left);
  e->output = strip(cpb_span_from(rest, e->weights.size + 2), &e->left);
  return true;
}

static int64_t index_of(cpb_span part, uint8_t label) {
  const uint8_t *at = part.size > 0 ? memchr(part.data, label, part.size) : NULL;
  return at ? at - part.data : -1;
}

/* "output_shape" in the config does not include the batch. */
static uint64_t output_dimension(facts *f, const einsum *e, uint8_t label) {
  yyjson_val *shape = cpb_keras_unwrap(cpb_keras_config(f->layer, "output_shape"));
  int64_t i = index_of(e->output, label) - (e->left ? 0 : 1);
  if (i == 0 && !yyjson_is_arr(shape)) return number(f, shape);
  return i >= 0 ? number(f, yyjson_arr_get(shape, (size_t)i)) : give_up(f);
}

static uint64_t label_dimension(facts *f, const einsum *e, uint8_t label) {
  int64_t i = index_of(e->input, label);
  if (i < 0) return output_dimension(f, e, label);
  return dimension(f, e->left ? i - (int64_t)e->input.size : i);
}

static uint64_t volume(facts *f, const einsum *e, cpb_span labels) {
  uint64_t result = 1;
  for (size_t i = 0; f->known && i < labels.size; i++) result = times(f, result, label_dimension(f, e, labels.data[i]));
  return result;
}

static void einsum_dense(facts *f) {
  einsum e;
  cpb_span equation, bias;
  if (!cpb_json_text(cpb_keras_config(f->layer, "equation"), &equation) || !split_equation(equation, &e)) {
    give_up(f);
    return;
  }
  f->trainable = volume(f, &e, e.weights);
  if (cpb_json_text(cpb_keras_config(f->layer, "bias_axes"), &bias))
    f->trainable = plus(f, f->trainable, volume(f, &e, bias));
}

/* --- Classes ---------------------------------------------------------------------- */

static const struct {
  void (*rule)(facts *f);
  const char *classes; /* separated by spaces */
} rules[] = {
    {dense, " Dense "},
    {einsum_dense, " EinsumDense "},
    {embedding, " Embedding "},
    {convolution,
     " Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D Conv1DTranspose Conv2DTranspose"
     " Conv3DTranspose Convolution2DTranspose Convolution3DTranspose "},
    {depthwise_convolution, " DepthwiseConv1D DepthwiseConv2D "},
    {separable_convolution, " SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D "},
    {batch_normalization, " BatchNormalization BatchNormalizationV1 BatchNormalizationV2 SyncBatchNormalization "},
    {layer_normalization, " LayerNormalization GroupNormalization "},
    {normalization, " Normalization "},
    {discretization, " Discretization "},
    {simple_recurrent, " SimpleRNN SimpleRNNCell "},
    {lstm, " LSTM LSTMV1 LSTMV2 LSTMCell "},
    {gru, " GRU GRUV2 GRUCell "},
    {convolutional_lstm,
     " ConvLSTM1D ConvLSTM2D ConvLSTM3D ConvLSTMCell ConvLSTM1DCell ConvLSTM2DCell ConvLSTM3DCell "},
    {prelu, " PReLU "},
    {attention, " Attention "},
    {additive_attention, " AdditiveAttention "},
    {held, " TimeDistributed Bidirectional RNN StackedRNNCells MultiHeadAttention TextVectorization "},
    {none,
     " Functional Sequential Model InputLayer Activation ReLU LeakyReLU ELU Softmax ThresholdedReLU Flatten Reshape"
     " Permute RepeatVector Masking Lambda Identity Add Subtract Multiply Average Maximum Minimum Concatenate Dot"
     " Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D GaussianDropout GaussianNoise AlphaDropout"
     " ActivityRegularization UnitNormalization MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D"
     " AveragePooling2D AveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D"
     " GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D ZeroPadding1D ZeroPadding2D"
     " ZeroPadding3D Cropping1D Cropping2D Cropping3D UpSampling1D UpSampling2D UpSampling3D Rescaling Resizing"
     " CenterCrop RandomCrop RandomFlip RandomTranslation RandomRotation RandomZoom RandomContrast"
     " RandomBrightness RandomHeight RandomWidth CategoryEncoding Hashing HashedCrossing StringLookup"
     " IntegerLookup TFOpLambda SlicingOpLambda TensorFlowOpLayer ClassMethod InstanceMethod InstanceProperty"
     " AddLoss AddMetric "},
};

static bool is_listed(const char *classes, cpb_span name) {
  for (const char *at = classes; at[1] != '\0';) {
    const char *end = strchr(at + 1, ' ');
    if (cpb_span_equal(name, (cpb_span){(const uint8_t *)at + 1, (size_t)(end - at - 1)})) return true;
    at = end;
  }
  return false;
}

cpb_keras_count cpb_keras_count_own(const cpb_keras *k, const cpb_keras_layer *layer) {
  cpb_span name = cpb_keras_class(layer);
  facts f = {.layer = layer, .known = false};
  f.holds_layers = layer->end > (uint32_t)(layer - k->layers) + 1;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (!is_listed(rules[i].classes, name)) continue;
    f.known = true;
    read_shape(&f);
    rules[i].rule(&f);
    break;
  }
  cpb_keras_count count = {.complete = f.known};
  if (f.known) count = (cpb_keras_count){plus(&f, f.trainable, f.fixed), f.trainable, f.known};
  return count;
}

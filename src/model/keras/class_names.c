#include "model/keras/class_names.h"

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
  size_t begin = path.size, end = path.size;
  while (begin > 0 && path.data[begin - 1] != '/') begin--;
  while (end > begin && path.data[end - 1] >= '0' && path.data[end - 1] <= '9') end--;
  const bool has_number = end > begin + 1 && end < path.size && path.data[end - 1] == '_';
  const cpb_span name = {path.data + begin, (has_number ? end - 1 : path.size) - begin};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (cpb_span_is(name, known[i].name)) return cpb_span_of(known[i].class);
  }
  return (cpb_span){NULL, 0};
}

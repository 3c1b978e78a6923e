/** Small models that are built with the page. `from` is their place in this repository. */
export const examples = [
  {
    title: 'A Keras model',
    about: 'A small functional model with a convolution and two outputs, as a chunked SavedModel (.cpb).',
    url: 'examples/keras/saved_model.cpb',
    from: 'tests/data/cpb/real_tf_keras_functional/max20000_zstd.cpb',
  },
  {
    title: 'A tf.Module',
    about: 'A SavedModel of plain TensorFlow functions and variables.',
    url: 'examples/module/saved_model.pb',
    from: 'tests/data/cpb/real_tf_module/orig.pb',
  },
  {
    title: 'A frozen graph',
    about: 'A convolutional network whose weights are constants: see which are large, and what is in them.',
    url: 'examples/frozen/graph.pb',
    from: 'tests/data/cpb/real_frozen_conv/orig.pb',
  },
  {
    title: 'A SameDiff file',
    about: 'A zip in the format of ND4J: a graph and its parameters, with their values.',
    url: 'examples/samediff/model.zip',
    from: 'tests/data/samediff_small/minimal.zip',
  },
];

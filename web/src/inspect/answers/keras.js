/** Answers about Keras's layers; no code. What they mean: docs/inspecting-keras.md. */

/** @import { Paged, Parameters, Problem } from './shared.js' */

/**
 * Where what Keras says came from: the file beside the model, or the model.
 * @typedef {'keras_metadata' | 'saved_model'} KerasFormat
 */

/**
 * What an object is to Keras; null where only the model's config knows it.
 * @typedef {object} KerasIdentity
 * @property {string | null} class such as 'Dense'
 * @property {string | null} name or else the path
 * @property {string | null} path in the object graph
 * @property {number | null} node its node id there
 * @property {string | null} identifier such as '_tf_keras_layer'
 * @property {{ producer: number, min_consumer: number } | null} version
 */

/**
 * What is known of a layer.
 * @typedef {object} KerasFacts
 * @property {unknown} dtype a name, or a policy's, such as 'mixed_float16'
 * @property {boolean} trainable
 * @property {unknown} input_shape what it was built for: a shape, or a list or object of them
 * @property {number} parameters of it and all that is in it
 * @property {number} trainable_parameters
 * @property {boolean} parameters_complete whether all could be counted
 * @property {'variables' | 'config'} parameters_from what was counted
 */

/**
 * A model in a line.
 * @typedef {object} KerasSummary
 * @property {string | null} class such as 'Functional'
 * @property {string | null} name
 * @property {number} layers how many, with the model itself
 * @property {number} parameters
 * @property {number} trainable_parameters
 * @property {boolean} parameters_complete whether all could be counted
 * @property {'variables' | 'config'} parameters_from what was counted
 */

/**
 * An output of a layer: of which of its calls, and which tensor.
 * @typedef {object} LayerOutput
 * @property {string} layer
 * @property {number} node_index
 * @property {number} tensor_index
 */

/**
 * Place and connections of a layer.
 * @typedef {object} LayerLinks
 * @property {number} index in the whole list
 * @property {number | null} parent an index; null for a root
 * @property {number} depth
 * @property {{ node: number, name: string }[]} [variables] its own, without those of layers in it;
 *   absent without an object graph
 * @property {boolean} shared it stands elsewhere, too, and what is in it is shown there only
 * @property {LayerOutput[][]} inputs for each call, what it is called with
 * @property {LayerOutput[]} [input_layers] of a model
 * @property {LayerOutput[]} [output_layers] of a model
 * @property {unknown} config without its layers
 */

/**
 * A layer of the tree.
 * @typedef {KerasIdentity & KerasFacts & LayerLinks} Layer
 */

/**
 * The layer tree, each layer before those in it.
 * @typedef {object} LayersAnswer
 * @property {KerasFormat} format
 * @property {'metadata' | 'objects'} source where Keras says nothing of layers, they are called by their paths
 * @property {Paged<Layer>} layers
 * @property {Problem[]} problems
 */

/**
 * What must be loaded for the paths that were asked for.
 * @typedef {object} LoadAnswer
 * @property {KerasFormat} format
 * @property {{ path: string, node: number }[]} paths those that were asked for
 * @property {Paged<{ node: number, path: string | null }>} nodes all that they lead to, breadth
 *   first; without a path what only the whole model has
 * @property {{ node: number, needed_by: number, path: string | null }[]} missing what must be
 *   loaded for these, but is not among them; the path is that of what needs it
 * @property {Problem[]} problems
 */

/**
 * How a model was compiled, as Keras wrote it.
 * @typedef {object} KerasTraining
 * @property {unknown} optimizer its class
 * @property {unknown} optimizer_config
 * @property {unknown} loss
 * @property {unknown} metrics
 * @property {unknown} weighted_metrics
 * @property {unknown} loss_weights
 */

/**
 * What a whole model says beside that.
 * @typedef {object} KerasModelFacts
 * @property {unknown} keras_version
 * @property {unknown} backend
 * @property {KerasTraining | null} training
 */

/**
 * The overview of keras_metadata.pb.
 * @typedef {object} KerasOverview
 * @property {'keras_metadata'} format
 * @property {number} objects how many
 * @property {number} num_layers
 * @property {(KerasIdentity & KerasFacts & KerasModelFacts) | null} model
 * @property {Parameters} [parameters] absent without a model
 * @property {(KerasIdentity & { dtype: unknown })[]} metrics
 * @property {Problem[]} problems
 */

/**
 * Layers that have a text in their name, class or path.
 * @typedef {object} KerasSearchAnswer
 * @property {'keras_metadata'} format
 * @property {Paged<KerasIdentity & { kind: 'layer', index: number }>} found
 * @property {Problem[]} problems
 */

export {};

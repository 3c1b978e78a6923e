/** Answers about Core ML models; no code. What they mean: docs/inspecting-coreml.md. */

/** @import { Element, Omitted } from './graph.js' */
/** @import { CoremlQuantization, ModelCall, ModelConsumer, ModelFile, ModelSource, ModelTensor } from './model.js' */
/** @import { Extent, Paged, Parameters, Problem } from './shared.js' */

/* --- Types and tensors -------------------------------------------------------- */

/**
 * Sizes: null for one that is not known or has no end; '1..10', or '1..' without one, for one that is flexible; beyond
 * 2^53 as text.
 * @typedef {(number | string | null)[]} CoremlSizes
 */

/**
 * The type of a value: of a tensor or a number, or in `type` another one. What may have several sizes has `shapes`, or
 * `ranges`, the least and the most of each size; null: there is no most.
 * @typedef {{ optional?: true } & ({ dtype: string | null, shape: CoremlSizes | null, shapes?: CoremlSizes[],
 *   ranges?: CoremlSizes[] } | { type: CoremlOtherType })} CoremlType
 */

/**
 * What is no tensor.
 * @typedef {{ image: CoremlImage } | { dictionary: { key: string | null, value?: CoremlType } }
 *   | { sequence: CoremlType } | { list: CoremlType } | { state: CoremlType } | { tuple: number }} CoremlOtherType
 */

/**
 * A picture: its usual size, and others that it may have, [width, height].
 * @typedef {object} CoremlImage
 * @property {'gray' | 'rgb' | 'bgr' | 'gray_float16' | 'unknown'} color
 * @property {number | string} width
 * @property {number | string} height
 * @property {CoremlSizes[]} [sizes]
 * @property {CoremlSizes[]} [ranges] of the width and the height
 */

/** What goes in or comes out. @typedef {{ name: string, doc?: string } & CoremlType} CoremlFeature */

/* --- Overview ------------------------------------------------------------------- */

/**
 * What the model is, what goes in and out, and how much there is.
 * @typedef {object} CoremlOverview
 * @property {'coreml'} kind
 * @property {number | string} specification_version
 * @property {string | null} type such as 'mlProgram' or 'neuralNetworkClassifier'
 * @property {boolean} updatable
 * @property {string | null | Omitted} author
 * @property {string | null | Omitted} license
 * @property {string | null | Omitted} version
 * @property {string | null | Omitted} doc
 * @property {string} [function] of a program: its default one, which is the model's graph
 * @property {string | null | Omitted} [opset] of that
 * @property {number} [classes] of a network that is a classifier
 * @property {Paged<CoremlFeature>} inputs
 * @property {Paged<CoremlFeature>} outputs
 * @property {Paged<CoremlFeature>} states
 * @property {Paged<CoremlFeature>} training_inputs
 * @property {string | null | Omitted} predicted_feature
 * @property {string | null | Omitted} predicted_probabilities
 * @property {number} nodes of the model's graph
 * @property {number} subgraphs how many graphs there are within nodes, and models in a pipeline
 * @property {number} subgraph_nodes how many nodes these have
 * @property {number} functions how many others the program has
 * @property {number} function_nodes how many nodes these have
 * @property {Parameters} parameters
 * @property {ModelFile[]} external_data the other files
 * @property {Paged<{ key: string, value: string | null | Omitted }>} metadata
 * @property {Problem[]} problems
 */

/* --- Functions and nodes ----------------------------------------------------------- */

/**
 * One function, graph within a node or model of a pipeline.
 * @typedef {object} CoremlFunction
 * @property {string | null} name
 * @property {'graph' | 'function' | 'subgraph' | 'model'} is
 * @property {({ name: string } & (CoremlType | {}))[]} inputs
 * @property {({ name: string } & (CoremlType | {}))[]} outputs
 * @property {number} nodes how many
 * @property {string} [opset] of a function
 * @property {number} [specializations] of a function: for how many operation sets it has a block
 * @property {ModelCall[]} calls none: nothing calls a function
 * @property {ModelCall[]} called_by
 * @property {Problem[]} problems
 */

/** A graph within a node: how many nodes it has. @typedef {{ graph: null, nodes: number }} CoremlGraphValue */

/**
 * An attribute of an operation, a value among its arguments, weights of a layer, or a graph within it. Of a single
 * number or text the kind is its dtype.
 * @typedef {{ name: string } & ({ kind: 'tensor', value: ModelTensor & { quantization?: CoremlQuantization } } | { kind: 'graph', value: CoremlGraphValue }
 *   | { kind: 'graphs', value: CoremlGraphValue[] } | { kind: 'list' | 'tuple' | 'dictionary', value: number }
 *   | { kind: string, value: Element } | { kind: null, value: null })} CoremlAttribute
 */

/**
 * An operation, a layer, or a model of a pipeline.
 * @typedef {object} CoremlNode
 * @property {string} name '#7', its number, where it has none
 * @property {string} op
 * @property {string[]} inputs values
 * @property {string[]} [parameters] of an operation: what each of these is for
 * @property {({ name: string } & (CoremlType | {}))[]} outputs
 * @property {CoremlAttribute[]} attributes
 */

/**
 * The nodes of one graph, in its order.
 * @typedef {object} CoremlNodesAnswer
 * @property {string | null} function null for the model's graph
 * @property {Paged<CoremlNode>} nodes
 * @property {Problem[]} problems
 */

/* --- Operations ---------------------------------------------------------------------- */

/**
 * Which operations there are, and how often.
 * @typedef {object} CoremlOpsAnswer
 * @property {number} nodes of the graph
 * @property {number} functions and graphs within nodes
 * @property {number} function_nodes in all of them
 * @property {Paged<{ op: string, count: number, in_graph: number, in_functions: number, from: 'coreml' | 'custom' }>} ops
 * @property {string[]} custom
 * @property {Problem[]} problems
 */

export {};

/**
 * A node, with what it takes and what takes it.
 * @typedef {CoremlNode & { function: string | null, from: (ModelSource & (CoremlType |
 *   Partial<ModelTensor & { quantization?: CoremlQuantization }>))[], consumers: Paged<ModelConsumer>, problems: Problem[] }} CoremlNodeAnswer
 */

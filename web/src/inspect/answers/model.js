/** Answers that are the same about ONNX and Core ML models; no code. What they mean: docs/inspecting.md. */

/** @import { CoremlType } from './coreml.js' */
/** @import { Element, ScopeChild, ScopeInput, ScopesAnswer } from './graph.js' */
/** @import { OnnxAttribute, OnnxEntry, OnnxSparseTensor, OnnxType } from './onnx.js' */
/** @import { Extent, Paged, Problem, TensorUse } from './shared.js' */

/* --- Tensors ------------------------------------------------------------------ */

/**
 * Where values lie in another file.
 * @typedef {object} ModelExternal
 * @property {string} location its name, from the model's folder
 * @property {number} offset of Core ML: of the description in front of the values
 * @property {number | null} length in bytes; null where nothing says it
 * @property {string} [checksum] as the model has it; it is not checked
 * @property {string} [problem] why there is nothing to read
 */

/**
 * A tensor without its values.
 * @typedef {object} ModelTensor
 * @property {string | null} dtype TensorFlow's name, such as 'float32', of Core ML also 'uint3' and the like; null:
 *   it is not defined
 * @property {(number | string)[]} shape
 * @property {number | string} [elements] beyond 2^53 as text
 * @property {number | string} [bytes] of them as an array; absent for strings
 * @property {number} size of the values as stored, in bytes
 * @property {ModelExternal} [external]
 * @property {string} [field] of the message that the values are in, such as 'raw_data'
 * @property {Extent} [values] where they lie, if together
 * @property {Extent} [tensor] where its message lies: of ONNX the TensorProto, of a Core ML program the Value
 * @property {Extent} [weights] of a Core ML layer's: where the WeightParams lie
 * @property {Element[]} [preview] the first ones, at most eight, if they are in memory
 * @property {true} [preview_more] there are others
 */

/**
 * What makes floats of a layer's weights: how many numbers there are.
 * @typedef {{ bits: number | string, table?: number, scales?: number, biases?: number }} CoremlQuantization
 */

/**
 * What a tensor is to the model.
 * @typedef {object} ModelTensorPlace
 * @property {string} node the value that it is, or else `NODE:MEMBER`
 * @property {'initializer' | 'constant' | 'attribute' | 'weights'} is constant: a node does nothing but hold it;
 *   weights: of a layer
 * @property {TensorUse} use
 * @property {true} [shared] its values are those of an earlier one, and do not count again
 * @property {number | string} parameters how many elements count as parameters; 0 if it is no weight
 * @property {string | null} function the graph that it is in
 * @property {{ parameter: string, tensor: string }[] | CoremlQuantization} [quantization] of ONNX: which tensors have
 *   its scale and the like
 */

/** A tensor of the model. @typedef {ModelTensorPlace & (ModelTensor | OnnxSparseTensor)} ModelConstant */

/**
 * All tensors of a model, the largest first.
 * @typedef {object} ModelConstantsAnswer
 * @property {number | string} size of all of them, in bytes
 * @property {Paged<ModelConstant>} constants
 * @property {Problem[]} problems
 */

/** Another file with values. @typedef {{ location: string, tensors: number, bytes: number | string }} ModelFile */

/* --- Functions ------------------------------------------------------------------ */

/**
 * A line of the list of functions and graphs within nodes.
 * @typedef {object} ModelFunctionSummary
 * @property {string} name
 * @property {'function' | 'subgraph' | 'training' | 'model'} is model: of a pipeline
 * @property {string} [domain]
 * @property {string | null} [within] of a graph within a node: the graph that this is in,
 * @property {string} [node] and its name
 * @property {number} inputs how many
 * @property {number} outputs how many
 * @property {number} nodes how many
 * @property {number} calls how many functions
 * @property {number} called_by how many graphs
 */

/**
 * The functions of the model, and the graphs within nodes.
 * @typedef {object} ModelFunctionsAnswer
 * @property {Paged<ModelFunctionSummary>} functions
 * @property {Problem[]} problems
 */

/** A graph, null for the model's own, and in how many nodes. @typedef {{ function: string | null, nodes: number }} ModelCall */

/* --- Nodes ---------------------------------------------------------------------- */

/**
 * A node that takes a value, or a graph that returns it.
 * @typedef {object} ModelConsumer
 * @property {'node' | 'return'} is
 * @property {string} name
 * @property {string | null} function the graph that it is in
 * @property {string | null} op of a node
 * @property {{ input: number, output: string, index: number }[]} inputs which of its inputs, the value,
 *   and which output of the node that is asked about
 * @property {false} control
 */

/**
 * What takes the outputs of a node, or a value.
 * @typedef {object} ModelConsumersAnswer
 * @property {string | null} function
 * @property {string} node
 * @property {string | null} op null for a value
 * @property {Paged<ModelConsumer>} consumers
 * @property {Problem[]} problems
 */

/**
 * What is reached from a node.
 * @typedef {object} Reached
 * @property {'node' | 'argument' | 'tensor'} is argument: of a graph; tensor: one that no node makes
 * @property {string} name
 * @property {string | null} function the graph that it is in
 * @property {string | null} op of a node
 * @property {number} distance how many steps away; calls and graphs within nodes are no steps of their own
 */

/**
 * All that a node or value depends on, or all that depends on it, the nearest first; with `to` a shortest way to that,
 * with both ends, or nothing if there is none.
 * @typedef {object} ReachAnswer
 * @property {string | null} function
 * @property {string} node the node, or the argument or tensor, that is asked about
 * @property {string | null} op of a node
 * @property {Paged<Reached>} found
 * @property {Problem[]} problems
 */

/* --- Layers and scopes ------------------------------------------------------------ */

/**
 * A module, a layer, or nodes whose names begin alike.
 * @typedef {object} ModelLayer
 * @property {string} name '(4 unnamed nodes)' of those without a name; '(taken by no node)' for tensors
 * @property {string | null} class the module's, or the operation, if there is one node
 * @property {number} nodes how many
 * @property {number} tensors weights that are first taken in it
 * @property {number | string} parameters their elements
 * @property {number | string} bytes
 */

/**
 * The layers, and what tells of them: the modules that an exporter notes; nodes that are layers; or only names.
 * @typedef {object} ModelLayersAnswer
 * @property {'modules' | 'layers' | 'names'} source
 * @property {Paged<ModelLayer>} layers
 * @property {Problem[]} problems
 */

/** A value, with its type where that is known. @typedef {{ name: string } & (OnnxType | CoremlType | {})} ModelValue */

/**
 * What leads to a child of a scope.
 * @typedef {ScopeInput & { given?: true, values: (ModelValue & { node?: string })[] }} ModelScopeInput given: `from` is no
 *   node, but a value that goes into the graph; values: at most 8 of them, and the nodes that make them
 */

/**
 * A tensor that a node takes or has; of one that a brief answer passes over, the name; of a Constant of numbers or
 * texts, these among its attributes.
 * @typedef {ModelConstant | { node: string, is: 'initializer' | 'constant', attributes?: OnnxAttribute[], doc?: string,
 *   overload?: string, metadata?: OnnxEntry[] }} ModelScopeTensor
 */

/** A function that a node calls, or a graph that it has. @typedef {{ name: string, element?: number, function: string }} ModelScopeCall */

/**
 * A scope or a node in a scope.
 * @typedef {Omit<ScopeChild, 'inputs' | 'size'> & { size?: number, parameters?: number | string, inputs: ModelScopeInput[],
 *   tensors: ModelScopeTensor[], more_tensors?: number, calls?: ModelScopeCall[] }} ModelScopeChild tensors: what a node
 *   takes, at most 100; the largest weights of a scope, at most 10; calls: of a node
 */

/**
 * What comes out of the graph: from which child, or which value (`given`), or a tensor.
 * @typedef {ModelValue & { node?: string, from: string | null, given?: true, tensor?: ModelScopeTensor }} ModelScopeResult
 */

/**
 * The graph or a function, folded by name scope.
 * @typedef {Omit<ScopesAnswer, 'children' | 'size'> & { size?: number, parameters?: number | string,
 *   children: Paged<ModelScopeChild>, results?: ModelScopeResult[] }} ModelScopesAnswer results: of all of the graph, at
 *   most 100
 */

/* --- Search ----------------------------------------------------------------------- */

/**
 * What was found: `function` is the graph that it is in.
 * @typedef {{ is: 'function' | 'subgraph', name: string }
 *   | { is: 'node', name: string, op: string, function: string | null }
 *   | { is: 'value' | 'input' | 'initializer', name: string, function: string | null }} ModelFound
 */

/**
 * What has the text in its name or operation.
 * @typedef {object} ModelSearchAnswer
 * @property {Paged<ModelFound>} found
 * @property {Problem[]} problems
 */

/**
 * What goes into a node, and who gives it: a node, an argument of a graph, or a tensor, of which it then has the
 * members, too. It may be of a graph around that of the node.
 * @typedef {object} ModelSource
 * @property {number} input which input, from 0
 * @property {string} value
 * @property {string} [role] the parameter that it is for, if the model says so
 * @property {'node' | 'argument' | 'tensor' | null} is null: nobody gives it
 * @property {string} [name]
 * @property {string | null} [function] the graph that has it; null for the model's own
 * @property {string} [op]
 * @property {number} [index] of the node's output
 */

export {};

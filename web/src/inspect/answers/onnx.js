/** Answers about ONNX models; no code. What they mean: docs/inspecting-onnx.md. */

/** @import { Element, Omitted } from './graph.js' */
/** @import { Extent, Paged, Problem } from './shared.js' */

/* --- Types and tensors -------------------------------------------------------- */

/**
 * Sizes of the dimensions: a number, a name that stands for one, null for one that is not known;
 * one beyond 2^53 is text, too. Null for a shape of which not even the number of dimensions is known.
 * @typedef {(number | string | null)[] | null} OnnxShape
 */

/**
 * The type of a value: of a tensor, or in `type` one that is made of others.
 * @typedef {{ dtype: string | null, shape: OnnxShape, sparse?: true } | { type: OnnxCompositeType }} OnnxType
 */

/**
 * A type that is made of others, or that the model does not describe.
 * @typedef {{ sequence: OnnxType } | { optional: OnnxType }
 *   | { map: { key: string | null, value: OnnxType } }
 *   | { opaque: { domain: string, name: string } }} OnnxCompositeType
 */

/** A value of a graph. @typedef {{ name: string } & OnnxType} OnnxValue */

/**
 * Where values lie in another file.
 * @typedef {object} OnnxExternal
 * @property {string} location its name, from the model's folder
 * @property {number} offset
 * @property {number | null} length in bytes; null where nothing says it
 * @property {string} [checksum] as the model has it; it is not checked
 * @property {string} [problem] why there is nothing to read
 */

/**
 * A TensorProto without its values.
 * @typedef {object} OnnxTensor
 * @property {string | null} dtype TensorFlow's name, such as 'float32'; null: it is not defined
 * @property {(number | string)[]} shape
 * @property {number | string} [elements] beyond 2^53 as text
 * @property {number | string} [bytes] of them as an array; absent for strings
 * @property {number} size of the values as stored, in bytes
 * @property {OnnxExternal} [external]
 * @property {string} [field] of TensorProto that the values are in, such as 'raw_data'
 * @property {Extent} [values] where they lie, if together
 * @property {Extent} [tensor] where the TensorProto lies
 * @property {Element[]} [preview] the first ones, at most eight, if they are in memory
 * @property {true} [preview_more] there are others
 */

/**
 * A SparseTensorProto: the values that are not 0, and where these are.
 * @typedef {object} OnnxSparseTensor
 * @property {string | null} dtype
 * @property {(number | string)[]} shape
 * @property {number} size
 * @property {true} sparse
 * @property {OnnxTensor} values_tensor
 * @property {OnnxTensor} indices_tensor
 */

/** An entry of `metadata_props`. @typedef {{ key: string, value: string }} OnnxEntry */

/** Which version of the operations of a domain. @typedef {{ domain: string, version: number | string }} OnnxOpset */

/* --- Overview ------------------------------------------------------------------- */

/**
 * What the model is, what goes in and out, and how much there is.
 * @typedef {object} OnnxOverview
 * @property {'onnx'} kind
 * @property {number | string} ir_version
 * @property {{ name: string | null, version: string | null }} producer
 * @property {string | null} domain
 * @property {number | string} model_version
 * @property {string | null | Omitted} doc
 * @property {Paged<OnnxOpset>} opset_imports
 * @property {Paged<OnnxValue>} inputs without those that initializers give a value
 * @property {Paged<OnnxValue>} outputs
 * @property {number} nodes of the model's graph
 * @property {number} subgraphs how many graphs there are within nodes
 * @property {number} subgraph_nodes how many nodes these have
 * @property {number} functions how many
 * @property {number} function_nodes how many nodes these have
 * @property {OnnxGraphCounts | null} graph null: the model has none
 * @property {{ total: number | string, bytes: number | string, size: number | string }} parameters elements of the
 *   graph's initializers, their bytes by type, and as stored
 * @property {{ location: string, tensors: number, bytes: number }[]} external_data the other files
 * @property {Paged<OnnxEntry>} metadata
 * @property {Paged<OnnxTraining>} training
 * @property {Problem[]} problems
 */

/**
 * The model's graph, and how many of each it has.
 * @typedef {object} OnnxGraphCounts
 * @property {string | null} name
 * @property {string | null | Omitted} doc
 * @property {number} nodes
 * @property {number} initializers
 * @property {number} sparse_initializers
 * @property {number} value_infos
 * @property {number} quantization_annotations
 * @property {Paged<OnnxEntry>} metadata
 */

/**
 * A training step: how much each of its parts has.
 * @typedef {object} OnnxTraining
 * @property {number} initialization_nodes
 * @property {number} algorithm_nodes
 * @property {number} initialization_bindings
 * @property {number} update_bindings
 */

/* --- Functions and subgraphs ------------------------------------------------------ */

/**
 * A line of the list of functions and graphs within nodes.
 * @typedef {object} OnnxFunctionSummary
 * @property {string} name
 * @property {'function' | 'subgraph' | 'training' | 'model'} is model: of a pipeline of Core ML
 * @property {string} [domain]
 * @property {number} inputs how many
 * @property {number} outputs how many
 * @property {number} nodes how many
 * @property {number} calls how many functions
 * @property {number} called_by how many graphs
 */

/**
 * The functions of the model, and the graphs within nodes.
 * @typedef {object} OnnxFunctionsAnswer
 * @property {Paged<OnnxFunctionSummary>} functions
 * @property {Problem[]} problems
 */

/** A graph, null for the model's own, and in how many nodes. @typedef {{ function: string | null, nodes: number }} OnnxCall */

/**
 * One function or graph within a node.
 * @typedef {object} OnnxGraphBase
 * @property {string | null} name
 * @property {number} nodes how many
 * @property {OnnxCall[]} calls
 * @property {OnnxCall[]} called_by
 * @property {string} [doc]
 * @property {OnnxEntry[]} [metadata]
 * @property {Problem[]} problems
 */

/**
 * A function of the model.
 * @typedef {OnnxGraphBase & { is: 'function', inputs: { name: string }[], outputs: { name: string }[],
 *   domain: string, overload?: string, opset_imports: OnnxOpset[], attributes: string[],
 *   attribute_defaults: OnnxAttribute[] }} OnnxFunction
 */
/**
 * The model's graph, one within a node, or one for training.
 * @typedef {OnnxGraphBase & { is: 'graph' | 'subgraph' | 'training', inputs: OnnxValue[], outputs: OnnxValue[],
 *   graph: string, initializers: number }} OnnxSubgraph
 */

/* --- Nodes ----------------------------------------------------------------------- */

/** A graph in an attribute: its own name, and how many nodes it has. @typedef {{ graph: string, nodes: number }} OnnxGraphValue */

/**
 * An attribute of a node, by its kind; or the name of the one of the function around it whose value it has.
 * @typedef {{ name: string } & ({ kind: string | null, reference: string }
 *   | { kind: 'float' | 'int', value: number | string }
 *   | { kind: 'string', value: string | Omitted }
 *   | { kind: 'tensor', value: OnnxTensor | null }
 *   | { kind: 'graph', value: OnnxGraphValue | null }
 *   | { kind: 'sparse_tensor', value: OnnxSparseTensor | null }
 *   | { kind: 'type_proto', value: OnnxType | null }
 *   | { kind: 'floats' | 'ints', value: (number | string | Omitted)[] }
 *   | { kind: 'strings', value: (string | Omitted)[] }
 *   | { kind: 'tensors', value: OnnxTensor[] }
 *   | { kind: 'graphs', value: OnnxGraphValue[] }
 *   | { kind: 'sparse_tensors', value: OnnxSparseTensor[] }
 *   | { kind: 'type_protos', value: OnnxType[] }
 *   | { kind: null, value: null })} OnnxAttribute
 */

/**
 * A node of a graph.
 * @typedef {object} OnnxNode
 * @property {string} name '#7', its number, where it has none
 * @property {string} op
 * @property {string} [domain]
 * @property {string} [overload]
 * @property {string[]} inputs values; '' is one that was left out
 * @property {({ name: string } & (OnnxType | {}))[]} outputs values, with their types where the graph has them
 * @property {OnnxAttribute[]} attributes
 * @property {string} [calls] the function that the operation is
 * @property {string} [doc]
 * @property {OnnxEntry[]} [metadata]
 */

/**
 * The nodes of one graph, in its order.
 * @typedef {object} OnnxNodesAnswer
 * @property {string | null} function null for the model's graph
 * @property {Paged<OnnxNode>} nodes
 * @property {Problem[]} problems
 */

/**
 * A node that takes a value, or a graph that returns it.
 * @typedef {object} OnnxConsumer
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
 * @typedef {object} OnnxConsumersAnswer
 * @property {string | null} function
 * @property {string} node
 * @property {string | null} op null for a value
 * @property {Paged<OnnxConsumer>} consumers
 * @property {Problem[]} problems
 */

/* --- Constants, layers, operations ------------------------------------------------- */

/**
 * Where a tensor is: the name of the initializer, of a Constant's output, or else of the node.
 * @typedef {object} OnnxConstantPlace
 * @property {string} node
 * @property {'initializer' | 'attribute'} is
 * @property {string | null} function the graph that it is in
 * @property {{ parameter: string, tensor: string }[]} [quantization] which tensors have its scale and the like
 */

/**
 * Initializers and tensors among attributes, the largest first.
 * @typedef {object} OnnxConstantsAnswer
 * @property {number} size of all of them, in bytes
 * @property {Paged<OnnxConstantPlace & (OnnxTensor | OnnxSparseTensor)>} constants
 * @property {Problem[]} problems
 */

/**
 * Nodes whose names say that they come from one module.
 * @typedef {object} OnnxLayer
 * @property {string} name
 * @property {string | null} class the operation, if there is one node
 * @property {number} nodes how many
 * @property {number} tensors initializers that are first used in it
 * @property {number | string} parameters their elements
 * @property {number | string} bytes
 */

/**
 * The layers, as the names of nodes tell them.
 * @typedef {object} OnnxLayersAnswer
 * @property {Paged<OnnxLayer>} layers
 * @property {Problem[]} problems
 */

/**
 * An operation.
 * @typedef {object} OnnxOpUse
 * @property {string} op
 * @property {string} domain
 * @property {number | string | null} version that the model imports of the domain
 * @property {number} count how many nodes have it
 * @property {number} in_graph of these
 * @property {number} in_functions of these: in functions and graphs within nodes
 * @property {'onnx' | 'library' | 'custom'} from library: a function of the model
 */

/**
 * Which operations there are, and how often.
 * @typedef {object} OnnxOpsAnswer
 * @property {number} nodes of the graph
 * @property {number} functions and graphs within nodes
 * @property {number} function_nodes in all of them
 * @property {Paged<OnnxOpUse>} ops the most used first
 * @property {{ op: string, domain: string }[]} custom
 * @property {Problem[]} problems
 */

/* --- Search -------------------------------------------------------------------------- */

/**
 * What was found: `function` is the graph that it is in.
 * @typedef {{ is: 'function' | 'subgraph', name: string }
 *   | { is: 'node', name: string, op: string, function: string | null }
 *   | { is: 'value' | 'input' | 'initializer', name: string, function: string | null }} OnnxFound
 */

/**
 * What has the text in its name or operation.
 * @typedef {object} OnnxSearchAnswer
 * @property {Paged<OnnxFound>} found
 * @property {Problem[]} problems
 */

export {};

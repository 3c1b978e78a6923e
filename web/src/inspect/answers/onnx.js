/** Answers about ONNX models; no code. What they mean: docs/inspecting-onnx.md. */

/** @import { Omitted } from './graph.js' */
/** @import { ModelCall, ModelConsumer, ModelFile, ModelSource, ModelTensor } from './model.js' */
/** @import { Extent, Paged, Parameters, Problem } from './shared.js' */

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
 * A SparseTensorProto: the values that are not 0, and where these are.
 * @typedef {object} OnnxSparseTensor
 * @property {string | null} dtype
 * @property {(number | string)[]} shape
 * @property {number} size
 * @property {true} sparse
 * @property {ModelTensor} values_tensor
 * @property {ModelTensor} indices_tensor
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
 * @property {Parameters} parameters
 * @property {ModelFile[]} external_data the other files
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
 * One function or graph within a node.
 * @typedef {object} OnnxGraphBase
 * @property {string | null} name
 * @property {number} nodes how many
 * @property {ModelCall[]} calls
 * @property {ModelCall[]} called_by
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
 *   | { kind: 'tensor', value: ModelTensor | null }
 *   | { kind: 'graph', value: OnnxGraphValue | null }
 *   | { kind: 'sparse_tensor', value: OnnxSparseTensor | null }
 *   | { kind: 'type_proto', value: OnnxType | null }
 *   | { kind: 'floats' | 'ints', value: (number | string | Omitted)[] }
 *   | { kind: 'strings', value: (string | Omitted)[] }
 *   | { kind: 'tensors', value: ModelTensor[] }
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
 * @property {string[]} [parameters] what each of these is for, where there are several
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

/* --- Operations ------------------------------------------------------------------- */

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

export {};

/**
 * A node, with what it takes and what takes it.
 * @typedef {OnnxNode & { function: string | null, from: (ModelSource & (OnnxType | OnnxSparseTensor |
 *   Partial<ModelTensor & { quantization?: { parameter: string, tensor: string }[] }>))[],
 *   consumers: Paged<ModelConsumer>, problems: Problem[] }} OnnxNodeAnswer
 */

/** Answers about graphs, of SavedModels or alone; no code. What they mean: docs/inspecting.md. */

/** @import { Counted, Extent, Paged, Parameters, Problem, Shape } from './shared.js' */

/* --- Tensors and values ------------------------------------------------------ */

/**
 * A TensorProto without its values.
 * @typedef {object} Tensor
 * @property {string} dtype TensorFlow's name, such as 'float32'
 * @property {Shape} shape
 * @property {number} size of the values as stored, in bytes
 * @property {string} [field] of TensorProto that they are in, such as 'tensor_content'
 * @property {Extent} [values] where they lie, if together
 * @property {Extent} [tensor] where the TensorProto lies
 * @property {number} [elements] if the shape is known
 * @property {number} [bytes] of them as an array; absent for strings
 * @property {Element[]} [preview] the first ones, at most eight, if they are in memory
 * @property {true} [preview_more] there are others
 */

/**
 * An element of a tensor: an integer beyond 2^53, NaN and Infinity as a string, a complex number as
 * [real, imaginary], a long string with its first characters (null: not read) and its size in bytes.
 * @typedef {number | boolean | string | (number | string)[]
 *   | { text: string | null, size: number }} Element
 */

/**
 * A TensorSpec; a bounded one has a minimum and a maximum.
 * @typedef {object} TensorSpec
 * @property {string} [name]
 * @property {string} dtype
 * @property {Shape} shape
 * @property {Tensor} [minimum]
 * @property {Tensor} [maximum]
 */

/**
 * A Python value, as TensorFlow keeps it in a StructuredValue; a list has such values, too.
 * `class` is the number of a TypeSpec that has no name. Of what a function is called with, `argument`
 * or `arguments` name its tensors, and `input` or `inputs` what the signature calls them.
 * @typedef {null | boolean | number | string | unknown[] | { tuple: Structured[] }
 *   | { dict: { [key: string]: Structured } }
 *   | { named_tuple: string, fields: { [key: string]: Structured } }
 *   | { shape: Shape } | { dtype: string } | { tensor: Tensor }
 *   | { tensor_spec: TensorSpec, argument?: string, input?: string | null }
 *   | { type_spec: string, class?: number, arguments?: string[], inputs?: (string | null)[],
 *     state?: Structured }
 *   | { too_deep: true } | { unknown: number }} Structured
 */

/* --- Overview ---------------------------------------------------------------- */

/**
 * The overview of a GraphDef.
 * @typedef {object} GraphOverview
 * @property {'graph_def'} kind
 * @property {{ producer: number, min_consumer: number }} versions
 * @property {number} nodes
 * @property {number} functions
 * @property {Parameters} parameters
 * @property {Paged<{ name: string, dtype: string, shape: Shape }>} inputs placeholders
 * @property {Paged<{ name: string, op: string }>} outputs nodes that no other uses
 * @property {Problem[]} problems
 */

/* --- Functions --------------------------------------------------------------- */

/**
 * A function that is called, and by how many nodes; `function` is null for the graph itself.
 * @typedef {object} Call
 * @property {string | null} function
 * @property {number} nodes
 */

/**
 * A line of the function library.
 * @typedef {object} FunctionSummary
 * @property {string} name
 * @property {'function'} is
 * @property {number} inputs how many
 * @property {number} outputs how many
 * @property {number} nodes how many
 * @property {number} calls how many other functions
 * @property {number} called_by how many other functions
 * @property {boolean} stateful
 * @property {number} [captures] how many, of a concrete function
 */

/**
 * The function library.
 * @typedef {object} FunctionsAnswer
 * @property {Paged<FunctionSummary>} functions
 * @property {Problem[]} problems
 */

/**
 * An argument of a FunctionDef: its dtype, or the attribute that says it.
 * @typedef {object} ArgumentDef
 * @property {string} name
 * @property {string} [dtype]
 * @property {string} [type_attr]
 * @property {string} [number_attr]
 * @property {string} [type_list_attr]
 */

/**
 * One function of the library.
 * @typedef {object} FunctionDef
 * @property {string} name
 * @property {'function'} is
 * @property {(ArgumentDef & { shape?: Shape, user_name?: string })[]} inputs
 * @property {(ArgumentDef & { tensor: string | null })[]} outputs and the tensor of the body
 * @property {{ name: string, node: string }[]} control_outputs
 * @property {boolean} stateful
 * @property {Attribute[]} attributes
 * @property {number} nodes how many
 * @property {string} [gradient] the function that is its gradient
 * @property {Call[]} calls
 * @property {Call[]} called_by
 * @property {boolean} concrete whether the object graph has it
 * @property {Problem[]} problems
 */

/* --- Nodes ------------------------------------------------------------------- */

/** A value that was too long to be read. @typedef {{ omitted: Extent }} Omitted */

/**
 * A function and how many attributes it is called with.
 * @typedef {{ function: string, attributes?: number }} FunctionReference
 */

/**
 * An element of a list; an integer beyond 2^53, NaN and infinity are text.
 * @typedef {string | number | boolean | Shape | Tensor | FunctionReference | Omitted}
 *   AttributeElement
 */

/**
 * An attribute of a node or function, by its kind; null: nothing is said.
 * @typedef {{ name: string } & ({ kind: 'string' | 'placeholder', value: string | Omitted }
 *   | { kind: 'int' | 'float', value: number | string }
 *   | { kind: 'bool', value: boolean }
 *   | { kind: 'type', value: string }
 *   | { kind: 'shape', value: Shape | Omitted }
 *   | { kind: 'tensor', value: Tensor }
 *   | { kind: 'function', value: FunctionReference }
 *   | { kind: 'list', value: AttributeElement[] }
 *   | { kind: null, value: null })} Attribute
 */

/**
 * A node of the graph or of a function.
 * @typedef {object} NodeDef
 * @property {string} name
 * @property {string} op
 * @property {string} [device]
 * @property {string[]} inputs tensors
 * @property {string[]} control_inputs nodes
 * @property {{ dtype?: string, shape?: Shape }[]} outputs each as far as it is known
 * @property {Attribute[]} attributes
 */

/**
 * Nodes of the graph or of a function.
 * @typedef {object} NodesAnswer
 * @property {string | null} function null for the graph itself
 * @property {Paged<NodeDef>} nodes
 * @property {Problem[]} problems
 */

/* --- Consumers --------------------------------------------------------------- */

/**
 * An input that is an output of what is asked about.
 * @typedef {object} ConsumedOutput
 * @property {number} input which of its data inputs, or of what the function returns, from 0
 * @property {string | null} output its name, in a function
 * @property {number} index of the output, or among the tensors of that name
 */

/**
 * A node that takes it, or what a function returns of it.
 * @typedef {object} Consumer
 * @property {'node' | 'return'} is
 * @property {string} name
 * @property {string | null} function that it is in
 * @property {string | null} op of a node
 * @property {ConsumedOutput[]} inputs
 * @property {boolean} control whether it waits for it, too
 */

/**
 * What takes a node, or an argument of a function.
 * @typedef {object} ConsumersAnswer
 * @property {string | null} function null for the graph itself
 * @property {string} node
 * @property {string | null} op null for an argument
 * @property {Paged<Consumer>} consumers nodes in the order of the graph, then what is returned
 * @property {Problem[]} problems
 */

/* --- Name scopes ------------------------------------------------------------- */

/**
 * What leads to a child of a scope.
 * @typedef {object} ScopeInput
 * @property {string} from the path of another child, or of a child of another scope that is open
 * @property {number} count how often
 * @property {boolean} control whether all of these are control edges
 */

/**
 * A scope or a node in a scope.
 * @typedef {object} ScopeChild
 * @property {'scope' | 'node'} is
 * @property {string} name the last part of the path
 * @property {string} path
 * @property {string} [inner] of a scope: the deepest one that has all of its nodes, or its only node
 * @property {string | null} op of a node
 * @property {number} nodes how many; 1 for a node
 * @property {number} size of the constants among them, in bytes
 * @property {{ op: string, count: number }[]} [ops] of a scope: its operations, the most used first, at most 20
 * @property {ScopeInput[]} inputs
 * @property {number} [more_inputs] how many there are besides
 */

/**
 * The graph or a function, folded by name scope.
 * @typedef {object} ScopesAnswer
 * @property {string | null} function null for the graph itself
 * @property {string} scope '' for the whole
 * @property {number} nodes in it, however deep
 * @property {number} size of the constants among them, in bytes
 * @property {Paged<ScopeChild>} children scopes first
 * @property {Problem[]} problems
 */

/* --- Constants and operations ------------------------------------------------ */

/**
 * A tensor among a node's attributes.
 * @typedef {object} ConstantPlace
 * @property {string} node the Const that it is the value of, or else `NODE:ATTRIBUTE`
 * @property {'constant' | 'attribute'} is
 * @property {string | null} function that the node is in; null for the graph itself
 */

/**
 * Constants, the largest first.
 * @typedef {object} ConstantsAnswer
 * @property {number} size of all of them, in bytes
 * @property {Paged<ConstantPlace & Counted & Tensor>} constants
 * @property {Problem[]} problems
 */

/**
 * Weights whose names say that they are of one layer.
 * @typedef {object} NamedLayer
 * @property {string} name
 * @property {string | null} class where Keras gave the name
 * @property {number} nodes 0
 * @property {number} tensors how many weights
 * @property {number | string} parameters their elements
 * @property {number | string} bytes
 */

/**
 * The layers, as the names of variables tell them, or of a frozen graph those of constants.
 * @typedef {object} NamedLayersAnswer
 * @property {'variables' | 'names'} source
 * @property {Paged<NamedLayer>} layers
 * @property {Problem[]} problems
 */

/**
 * An operation.
 * @typedef {object} OpUse
 * @property {string} op
 * @property {number} count how many nodes have it
 * @property {number} in_graph of these
 * @property {number} in_functions of these
 * @property {'tensorflow' | 'library' | 'custom'} from library: a function called by its name
 */

/**
 * How often each operation is used.
 * @typedef {object} OpsAnswer
 * @property {number} nodes of the graph
 * @property {number} functions in the library
 * @property {number} function_nodes in all of them
 * @property {Paged<OpUse>} ops the most used first
 * @property {string[]} custom those that are not TensorFlow's, the most used first
 * @property {Problem[]} problems
 */

export {};

/* --- One node ------------------------------------------------------------------ */

/**
 * What goes into a node, and who gives it: a node, or an argument of the function.
 * @typedef {object} Source
 * @property {number} [input] which input, from 0; absent of what the node only waits for
 * @property {true} [control] that it is
 * @property {string} value as the node calls it
 * @property {'node' | 'argument' | null} is null: there is none of that name
 * @property {string} [name]
 * @property {string | null} [function] that it is of
 * @property {string} [op]
 * @property {string} [output] in functions: the name of the output
 * @property {number} [index] of the output, unless the node is only waited for
 * @property {string} [dtype]
 * @property {Shape} [shape]
 */

/**
 * A node, with what it takes and what takes it.
 * @typedef {NodeDef & { function: string | null, from: Source[], consumers: Paged<Consumer>, problems: Problem[] }}
 *   NodeAnswer
 */

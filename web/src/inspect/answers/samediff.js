/** Answers about SameDiff models; no code. What they mean: docs/inspecting-samediff.md. */

/** @import { ModelConsumer, ModelConsumersAnswer, ModelFunctionsAnswer, ModelLayersAnswer, ModelScopeChild,
 *   ModelScopeInput, ModelScopesAnswer, ModelSource } from './model.js' */
/** @import { Counted, Paged, Parameters, Problem, Shape } from './shared.js' */

/**
 * What a variable is.
 * @typedef {'VARIABLE' | 'CONSTANT' | 'ARRAY' | 'PLACEHOLDER' | 'SEQUENCE'} VariableKind
 */

/** What ND4J has a name for, or the number. @typedef {string | number} NameOrNumber */

/* --- Arrays ------------------------------------------------------------------- */

/**
 * An array without its values.
 * @typedef {object} FlatArray
 * @property {string} dtype ND4J's name, such as 'FLOAT'
 * @property {number[]} shape
 * @property {'c' | 'f'} order
 * @property {number[]} strides in elements
 * @property {boolean} empty
 * @property {'big' | 'little'} byte_order
 * @property {number} count of elements
 * @property {number} bytes of the values
 * @property {number} [offset] of the values in the file, unless they are compressed
 * @property {(number | boolean | string)[]} [preview] the first numbers in row-major order, at most
 *   eight, of an array of up to 1 KiB
 * @property {true} [preview_more] there are others
 */

/**
 * An array, with its values when these are few; NaN and infinity are text.
 * @typedef {object} Operand
 * @property {FlatArray} array
 * @property {(number | boolean | string)[]} [values]
 */

/**
 * Where an array is in a zip.
 * @typedef {object} ArrayEntry
 * @property {number | null} size of the file in bytes; null where nothing tells it
 * @property {string} reference as it is written
 * @property {boolean} of_other_tag whether it belongs to another tag
 * @property {string | null} entry of the zip; null where a damaged zip does not have it
 * @property {true} [cut] the zip ends before the entry does
 * @property {boolean} [compressed] unless `entry` is null
 * @property {number} [compressed_bytes]
 */

/**
 * What the graph says of a tensor; nothing, if it does not know it.
 * @typedef {object} SameDiffTensor
 * @property {string} [dtype]
 * @property {Shape} [shape]
 * @property {number | string} [elements] where the sizes are known
 * @property {number | string} [bytes] of them, by their type
 */

/**
 * A tensor of the graph: in a graph file with its array.
 * @typedef {SameDiffTensor & { size?: number, array?: FlatArray }} GraphTensor
 */

/**
 * A line of params.txt or params_maps.txt, and where its file is.
 * @typedef {SameDiffTensor & ArrayEntry & { holds?: string, array?: FlatArray }} ZipTensor holds: what it is, if no
 *   array; array: when it was asked for by its name
 */

/**
 * What a tensor is to the model.
 * @typedef {object} SameDiffTensorPlace
 * @property {string} node its name
 * @property {'variable' | 'constant' | 'value' | 'input' | 'sequence' | null} is as the graph has it; null: it does not
 * @property {null} function
 */

/* --- Graph -------------------------------------------------------------------- */

/**
 * A variable of the graph.
 * @typedef {object} Variable
 * @property {string} name
 * @property {VariableKind} kind
 * @property {string} dtype
 * @property {Shape} shape
 * @property {[number, number]} id
 * @property {number} device
 * @property {FlatArray | null} array
 * @property {string[]} [control_dependencies]
 * @property {string[]} [control_dependency_of_operations]
 * @property {string[]} [control_dependency_of_variables]
 */

/**
 * Arguments of an operation by position.
 * @typedef {object} OperationArguments
 * @property {(number | string)[]} integers strings beyond 2^53, as in `longs`
 * @property {(number | string)[]} doubles
 * @property {boolean[]} booleans
 * @property {NameOrNumber[]} dtypes
 * @property {string[]} strings
 * @property {number[]} dimensions
 */

/**
 * A named argument: values of one sort, and their shape if it is no single value.
 * @typedef {object} SameDiffAttribute
 * @property {string} name
 * @property {'ints' | 'longs' | 'doubles' | 'booleans' | 'strings' | 'arrays'} kind
 * @property {(number | string | boolean | Operand | null)[]} value
 * @property {number[]} [shape]
 */

/** A variable that goes in or comes out, with its type; without one there is no such variable.
 * @typedef {{ name: string, dtype?: string, shape?: Shape }} SameDiffValue */

/**
 * An operation of the graph.
 * @typedef {object} SameDiffNode
 * @property {string} name
 * @property {string} op what it does, such as 'matmul'
 * @property {string[]} inputs variables
 * @property {string[]} control_inputs operations, and variables, that it waits for
 * @property {SameDiffValue[]} outputs variables
 * @property {SameDiffAttribute[]} attributes
 * @property {OperationArguments} arguments
 * @property {Operand | null} scalar
 * @property {NameOrNumber} type such as 'CUSTOM'
 * @property {string} number of the operation: a hash of 64 bits
 * @property {number} id
 * @property {NameOrNumber[]} output_dtypes
 * @property {string[]} [control_dependency_of]
 * @property {number} device
 * @property {number} scope_id
 * @property {string} scope
 */

/**
 * As it is stored.
 * @typedef {object} Configuration
 * @property {number} id
 * @property {NameOrNumber} execution_mode
 * @property {NameOrNumber} profiling_mode
 * @property {NameOrNumber} output_mode
 * @property {boolean} timestats
 * @property {number} footprint_forward
 * @property {number} footprint_backward
 * @property {NameOrNumber} direction
 */

/* --- Overview ----------------------------------------------------------------- */

/**
 * What is in a folder of the zip.
 * @typedef {{ files: number, bytes: number }} FolderSize
 */

/**
 * A tag in short.
 * @typedef {object} TagSummary
 * @property {string} tag
 * @property {boolean} default whether it is the newest
 * @property {number | null} graph_bytes null: there is no graph
 * @property {FolderSize} parameters
 * @property {FolderSize} updater
 * @property {boolean} training_config whether there is one
 */

/**
 * A graph in short.
 * @typedef {object} GraphSummary
 * @property {string | null} tag null for a graph file
 * @property {boolean} default
 * @property {number} variables how many
 * @property {{ [kind in VariableKind]: number }} kinds how many variables of each
 * @property {number} [parameter_bytes] of a graph file
 * @property {string[]} loss_variables
 */

/**
 * Of the graph that is looked at; nothing of one that is damaged.
 * @typedef {object} GraphFacts
 * @property {Paged<SameDiffValue>} [inputs] placeholders
 * @property {Paged<SameDiffValue>} [outputs] what no operation takes
 * @property {number} [nodes] how many
 * @property {0} [subgraphs]
 * @property {0} [subgraph_nodes]
 * @property {0} [functions]
 * @property {0} [function_nodes]
 * @property {GraphSummary | null} graph null when it is damaged
 * @property {Parameters | null} parameters null without a graph
 */

/**
 * The overview of a SameDiff zip: the graph is that of the default tag, or of the one that is asked for.
 * @typedef {GraphFacts & { format: 'SameDiff zip', bytes: number, entries: number, default_tag: string,
 *   tags: Paged<TagSummary>, problems: Problem[] }} SameDiffZipOverview bytes: of the file; default_tag: the newest
 */

/**
 * The overview of a graph file.
 * @typedef {GraphFacts & { format: 'SameDiff graph', bytes: number, tags: Paged<never>, problems: Problem[] }}
 *   SameDiffGraphOverview
 */

/* --- Tensors ------------------------------------------------------------------ */

/** A tensor of a zip. @typedef {SameDiffTensorPlace & Counted & ZipTensor} ZipConstant */
/** A tensor of a graph file, or of which only the graph is read. @typedef {SameDiffTensorPlace & Counted & GraphTensor} GraphConstant */

/**
 * What an updater keeps for a parameter.
 * @template State
 * @typedef {object} UpdaterState
 * @property {string} parameter
 * @property {State[]} states
 */

/** A state in a graph file. @typedef {{ key: string, array: FlatArray | null }} GraphState */

/* --- Answers ------------------------------------------------------------------ */

/**
 * Which tag an answer is about.
 * @typedef {object} AboutTag
 * @property {string | null} tag null for a graph file
 * @property {boolean} default whether it is the newest
 * @property {Problem[]} problems
 */

/**
 * Everything in a tag, or in a graph file. One page is taken of every list.
 * @template Constant
 * @template State
 * @typedef {object} TagContents
 * @property {number} graph_id
 * @property {Configuration | null} configuration
 * @property {string[]} placeholders
 * @property {string[]} loss_variables
 * @property {Paged<Variable>} variables
 * @property {null} function
 * @property {Paged<SameDiffNode>} nodes
 * @property {Paged<Constant>} constants in the file's order
 * @property {Paged<{ node: string } & ZipTensor>} maps the lines of params_maps.txt
 * @property {Paged<UpdaterState<State>>} updater_state
 * @property {unknown} training_config as it is stored, or null
 */

/**
 * A tag of a zip.
 * @typedef {AboutTag & TagContents<ZipConstant, ArrayEntry>} ZipTagAnswer
 */
/**
 * What is in a graph file.
 * @typedef {AboutTag & TagContents<GraphConstant, GraphState>} GraphTagAnswer
 */

/** Operations of the graph. @typedef {AboutTag & { function: null, nodes: Paged<SameDiffNode> }} SameDiffNodesAnswer */

/** An operation that takes what is asked about, or waits for it; or the graph returns it.
 * @typedef {Omit<ModelConsumer, 'control'> & { control: boolean }} SameDiffConsumer */

/**
 * What takes a variable, or what an operation makes. `op` is null for a variable.
 * @typedef {AboutTag & Omit<ModelConsumersAnswer, 'consumers'> & { consumers: Paged<SameDiffConsumer> }}
 *   SameDiffConsumersAnswer
 */

/** What an operation takes; or waits for: then without a number.
 * @typedef {Omit<ModelSource, 'input'> & GraphTensor & { input?: number, control?: true }} SameDiffSource */

/**
 * An operation, with what it takes and what takes it.
 * @typedef {AboutTag & SameDiffNode & { function: null, from: SameDiffSource[],
 *   consumers: Paged<SameDiffConsumer> }} SameDiffNodeAnswer
 */

/** Tensors, the largest first. @typedef {AboutTag & { size: number | string, constants: Paged<ZipConstant> }} ZipConstantsAnswer */
/** Arrays of a graph file, the largest first.
 * @typedef {AboutTag & { size: number | string, constants: Paged<GraphConstant> }} GraphConstantsAnswer */

/**
 * How often each operation is used, the most used first.
 * @typedef {AboutTag & { nodes: number, functions: 0, function_nodes: 0, custom: never[], ops: Paged<{ op: string,
 *   count: number, in_graph: number, in_functions: 0, from: 'nd4j' }> }} SameDiffOpsAnswer
 */

/**
 * What was found.
 * @typedef {{ is: 'node', name: string, op: string, function: null }
 *   | { is: 'variable' | 'constant' | 'value' | 'input' | 'sequence', name: string, function: null }} SameDiffFound
 */

/** What has a text in its name or operation. @typedef {AboutTag & { found: Paged<SameDiffFound> }} SameDiffSearchAnswer */

/** None: a tag has one graph. @typedef {AboutTag & ModelFunctionsAnswer} SameDiffFunctionsAnswer */

/**
 * The graph of a tag.
 * @typedef {AboutTag & { name: null, is: 'graph', inputs: SameDiffValue[], outputs: SameDiffValue[], nodes: number,
 *   variables: number, calls: never[], called_by: never[] }} SameDiffFunctionAnswer
 */

/** Operations whose names begin alike. @typedef {AboutTag & ModelLayersAnswer} SameDiffLayersAnswer */

/** @typedef {Omit<ModelScopeInput, 'values'> & { values: (SameDiffValue & { node?: string })[] }} SameDiffScopeInput */
/** @typedef {Omit<ModelScopeChild, 'inputs' | 'tensors'> & { inputs: SameDiffScopeInput[], tensors: GraphConstant[] }}
 *   SameDiffScopeChild */

/**
 * The graph folded by name scope.
 * @typedef {AboutTag & Omit<ModelScopesAnswer, 'children' | 'results'> & { children: Paged<SameDiffScopeChild>,
 *   results?: (SameDiffValue & { node?: string, from: string | null, given?: true, tensor?: GraphConstant })[] }}
 *   SameDiffScopesAnswer
 */

export {};

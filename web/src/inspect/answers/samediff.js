/** Answers about SameDiff models; no code. What they mean: docs/inspecting-samediff.md. */

/** @import { Counted, Paged, Parameters, Problem, Shape, TensorUse } from './shared.js' */

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
 * @property {string} reference as it is written
 * @property {boolean} shared whether it belongs to another tag
 * @property {string | null} entry of the zip; null where a damaged zip does not have it
 * @property {number | null} entry_bytes
 * @property {true} [cut] the zip ends before the entry does
 * @property {boolean} [compressed] unless `entry` is null
 * @property {number} [compressed_bytes]
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
 * A named argument: values of one type, and their shape if it is no single value.
 * @typedef {object} Property
 * @property {string} name
 * @property {number[]} [ints]
 * @property {(number | string)[]} [longs]
 * @property {(number | string)[]} [doubles]
 * @property {boolean[]} [booleans]
 * @property {string[]} [strings]
 * @property {number[]} [shape]
 * @property {(Operand | null)[]} [arrays]
 */

/**
 * An operation of the graph.
 * @typedef {object} Operation
 * @property {string} name
 * @property {string} op what it does, such as 'matmul'
 * @property {NameOrNumber} type such as 'CUSTOM'
 * @property {string} number of the operation: a hash of 64 bits
 * @property {number} id
 * @property {string[]} inputs variables
 * @property {string[]} outputs variables
 * @property {NameOrNumber[]} output_dtypes
 * @property {string[]} [control_dependencies]
 * @property {string[]} [variable_control_dependencies]
 * @property {string[]} [control_dependency_of]
 * @property {OperationArguments} arguments
 * @property {Operand | null} scalar
 * @property {Property[]} properties
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

/** What goes in or comes out. @typedef {{ name: string, dtype: string, shape: Shape }} GraphEnd */

/**
 * A graph in short.
 * @typedef {object} GraphSummary
 * @property {string | null} tag null for a graph file
 * @property {boolean} default
 * @property {number} variables how many
 * @property {number} operations how many
 * @property {{ [kind in VariableKind]: number }} kinds how many variables of each
 * @property {number} [parameter_bytes] of a graph file
 * @property {GraphEnd[]} inputs placeholders
 * @property {GraphEnd[]} outputs what no operation takes
 * @property {string[]} loss_variables
 */

/**
 * The overview of a SameDiff zip.
 * @typedef {object} SameDiffZipOverview
 * @property {'SameDiff zip'} format
 * @property {number} bytes of the file
 * @property {number} entries of the zip
 * @property {string} default_tag the newest
 * @property {Paged<TagSummary>} tags
 * @property {GraphSummary | null} graph of the default tag; null when it is damaged
 * @property {Parameters | null} parameters of the default tag; null without a graph
 * @property {Problem[]} problems
 */

/**
 * The overview of a graph file.
 * @typedef {object} SameDiffGraphOverview
 * @property {'SameDiff graph'} format
 * @property {number} bytes of the file
 * @property {Paged<never>} tags none
 * @property {GraphSummary | null} graph null when it is damaged
 * @property {Parameters | null} parameters null without a graph
 * @property {Problem[]} problems
 */

/* --- Parameters --------------------------------------------------------------- */

/**
 * A parameter of a zip: what the graph says of it, and where it is.
 * @typedef {object} NamedParameter
 * @property {string} name
 * @property {VariableKind | null} kind null: the graph does not know it
 * @property {string} [dtype] as the graph has it
 * @property {Shape} [shape] as the graph has it
 * @property {number | null} [bytes] of the values, by these; null where they do not say
 * @property {string} [holds] what it is, if no array
 * @property {FlatArray} [array] when it was asked for by its name
 */

/**
 * A parameter, and where its array is.
 * @typedef {NamedParameter & Counted & ArrayEntry} ZipParameter
 */

/**
 * A parameter of a graph file.
 * @typedef {object} GraphParameter
 * @property {string} name
 * @property {VariableKind} kind
 * @property {TensorUse | null} use
 * @property {number | string} parameters how many elements it counts as
 * @property {FlatArray} array
 */

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
 * @template Parameter
 * @template State
 * @typedef {object} TagContents
 * @property {number} graph_id
 * @property {Configuration | null} configuration
 * @property {string[]} placeholders
 * @property {string[]} loss_variables
 * @property {Paged<Variable>} variables
 * @property {Paged<Operation>} operations
 * @property {Paged<Parameter>} parameters in the file's order
 * @property {Paged<ZipParameter>} maps the lines of params_maps.txt
 * @property {Paged<UpdaterState<State>>} updater_state
 * @property {unknown} training_config as it is stored, or null
 */

/**
 * A tag of a zip.
 * @typedef {AboutTag & TagContents<ZipParameter, ArrayEntry>} ZipTagAnswer
 */
/**
 * What is in a graph file.
 * @typedef {AboutTag & TagContents<GraphParameter, GraphState>} GraphTagAnswer
 */

/** What an operation makes; without a type if there is no such variable. @typedef {{ name: string, dtype?: string, shape?: Shape }} Made */

/**
 * Operations of the graph.
 * @typedef {AboutTag & { nodes: Paged<Omit<Operation, 'outputs'> & { outputs: Made[] }> }} OperationsAnswer
 */

/**
 * An operation that takes what is asked about.
 * @typedef {object} SameDiffConsumer
 * @property {'node'} is
 * @property {string} name
 * @property {string} op
 * @property {{ input: number, output: string | null, index: number }[]} inputs which of its inputs, from 0; which
 *   variable, and which output of the operation that is
 * @property {boolean} control whether it waits for it, or for what makes it
 */

/**
 * What takes a variable, or what an operation makes. `op` is null for a variable.
 * @typedef {AboutTag & { node: string, op: string | null, consumers: Paged<SameDiffConsumer> }}
 *   SameDiffConsumersAnswer
 */

/** Parameters, the largest first.
 * @typedef {AboutTag & { constants: Paged<ZipParameter> }} ZipParametersAnswer */
/** Arrays of a graph file, the largest first.
 * @typedef {AboutTag & { constants: Paged<GraphParameter> }} GraphParametersAnswer */

/** How often each operation is used, the most used first.
 * @typedef {AboutTag & { ops: Paged<{ op: string, count: number }> }} SameDiffOpsAnswer */

/**
 * What was found.
 * @typedef {{ what: 'operation', name: string, op: string }
 *   | { what: 'variable', name: string, kind: VariableKind }} SameDiffFound
 */

/** What has a text in its name.
 * @typedef {AboutTag & { found: Paged<SameDiffFound> }} SameDiffSearchAnswer */

export {};

/**
 * A variable that an operation takes, and what makes it.
 * @typedef {object} SameDiffSource
 * @property {number} input which input, from 0
 * @property {string} value the variable
 * @property {'node' | 'argument' | 'tensor' | null} is an operation, a placeholder, or a variable or constant
 * @property {string} name
 * @property {string} [op]
 * @property {number} [index] of the operation's output
 * @property {string} dtype
 * @property {Shape} shape
 */

/**
 * An operation, with what it takes and what takes it.
 * @typedef {AboutTag & Omit<Operation, 'outputs'> & { outputs: Made[], from: SameDiffSource[],
 *   consumers: Paged<SameDiffConsumer> }} SameDiffNodeAnswer
 */

/** Answers about SavedModels beside their graphs; no code. What they mean: docs/inspecting.md. */

/** @import { Call, FunctionDef, Structured, Tensor } from './graph.js' */
/** @import { KerasIdentity, KerasSummary } from './keras.js' */
/** @import { Extent, Paged, Parameters, Problem, Shape, TensorUse } from './shared.js' */

/* --- Signatures --------------------------------------------------------------- */

/**
 * The three tensors of a sparse one.
 * @typedef {object} SparseTensor
 * @property {string} values
 * @property {string} indices
 * @property {string} dense_shape
 */

/**
 * A tensor of several.
 * @typedef {object} Component
 * @property {string} tensor
 * @property {string} dtype
 * @property {Shape} shape
 */

/**
 * A tensor that is made of several.
 * @typedef {object} CompositeTensor
 * @property {string} type such as 'RaggedTensorSpec'
 * @property {Structured} state of that TypeSpec
 * @property {Component[]} components
 */

/**
 * An input or output of a signature: a tensor, or what stands for one.
 * @typedef {object} SignatureTensor
 * @property {string} name that the signature gives it
 * @property {string} [tensor] of the graph, such as 'x:0'
 * @property {SparseTensor} [sparse]
 * @property {CompositeTensor} [composite]
 * @property {string} dtype
 * @property {Shape} shape
 */

/**
 * A SignatureDef.
 * @typedef {object} Signature
 * @property {string} key such as 'serving_default'
 * @property {string} method such as 'tensorflow/serving/predict'
 * @property {SignatureTensor[]} inputs
 * @property {SignatureTensor[]} outputs
 */

/* --- Overview ----------------------------------------------------------------- */

/**
 * A meta graph in short.
 * @typedef {object} MetaGraph
 * @property {number} number from 0, as the option `metaGraph` takes it
 * @property {string[]} tags
 * @property {string} [tensorflow_version]
 * @property {string} [tensorflow_git_version]
 * @property {boolean} stripped_default_attributes whether attributes that have their default
 *   were left out
 * @property {number} signatures how many
 * @property {Extent} [graph] where its GraphDef lies
 */

/**
 * A file that the model needs.
 * @typedef {object} Asset
 * @property {string} file in the folder `assets`
 * @property {string} tensor that is fed its path
 */

/**
 * An operation that a loader runs, and what says so: a signature (TensorFlow 2) or a collection.
 * @typedef {object} Initializer
 * @property {string} [signature]
 * @property {string} [collection]
 * @property {string} operation
 */

/**
 * How checkpoints are written and read.
 * @typedef {object} Saver
 * @property {string} [filename_tensor]
 * @property {string} [save_tensor]
 * @property {string} [restore_operation]
 * @property {boolean} sharded
 * @property {'legacy' | 'v1' | 'v2' | 'unknown'} checkpoints their format
 */

/**
 * A list that TensorFlow 1 kept beside the graph.
 * @typedef {object} Collection
 * @property {string} name
 * @property {'nodes' | 'bytes' | 'integers' | 'floats' | 'messages'} [kind] of its elements;
 *   absent when it is empty
 * @property {number} [count]
 */

/**
 * What an object is.
 * @typedef {'user_object' | 'asset' | 'function' | 'variable' | 'bare_concrete_function'
 *   | 'constant' | 'resource' | 'captured_tensor' | 'none'} ObjectKind
 */

/**
 * The objects of the object graph.
 * @typedef {object} ObjectCounts
 * @property {number} total
 * @property {number} unreachable how many the root does not lead to
 * @property {{ [kind in ObjectKind]?: number }} kinds how many of each
 */

/**
 * Figures of some variables.
 * @typedef {object} VariableSums
 * @property {number} total
 * @property {number} trainable
 * @property {number} elements
 * @property {number} size in bytes
 * @property {true} [partial] a shape is not known, and not counted in `elements` and `size`
 */

/**
 * The variables together. Of TensorFlow 1, only how many there are.
 * @typedef {object} VariableCounts
 * @property {number} total
 * @property {number} trainable
 * @property {number} [elements]
 * @property {number} [size] in bytes
 * @property {true} [partial] a shape is not known, and not counted in `elements` and `size`
 * @property {number} [names] how many different ones
 * @property {VariableSums} [distinct] without copies
 * @property {(VariableSums & { in: string, of: string, why: string }) | null} [copies] those that
 *   Keras 3 stores a second time: what they are in, what they are copies of, and why
 * @property {StoredCounts} [stored] what the checkpoint has, where one was given
 */

/**
 * How much a checkpoint has.
 * @typedef {object} StoredCounts
 * @property {number} tensors
 * @property {number} size in bytes
 * @property {number} shards how many data files there are
 * @property {number} without_value how many variables have none
 */

/**
 * What a checkpoint has of a variable: in a data file, or in slices.
 * @typedef {object} Stored
 * @property {string} dtype
 * @property {number[]} shape
 * @property {number} size in bytes
 * @property {number} [shard] which data file, from 0; absent for one in slices, as what follows
 * @property {number} [offset] in that file
 * @property {number} [crc32c] of the values, masked
 * @property {StoredSlice[]} [slices]
 */

/**
 * A part of a variable; without a place where the checkpoint does not have it.
 * @typedef {object} StoredSlice
 * @property {number[]} begin
 * @property {number[] | null} shape
 * @property {number} [size] in bytes
 * @property {number} [shard]
 * @property {number} [offset]
 * @property {number} [crc32c]
 */

/**
 * A variable, or what else a checkpoint has, of kind 'none'.
 * @typedef {object} SavedVariable
 * @property {number | null} node null where there is no object, as in TensorFlow 1
 * @property {string | null} path
 * @property {ObjectKind} kind
 * @property {string} [registered_name]
 * @property {string | null} name
 * @property {string | null} dtype
 * @property {Shape} shape
 * @property {boolean} [trainable]
 * @property {string} [device]
 * @property {string} [part_of] of a part of a partitioned variable: the name of the whole, which is stored
 * @property {TensorUse | null} use null for kind 'none'
 * @property {number | string} parameters how many elements it counts as
 * @property {{ name: string | null, path: string | null } | null} [layer] that has it; absent when
 *   Keras says nothing
 * @property {Place} [copy_of] the variable that Keras 3 stores here a second time
 * @property {string | null} key under which its value is stored; null where there is none
 * @property {Stored | null} stored
 */

/**
 * Variables, and what is stored of each.
 * @typedef {object} VariablesAnswer
 * @property {StoredCounts | null} checkpoint null where none was given
 * @property {VariableCounts} [counts] absent for TensorFlow 1
 * @property {Paged<SavedVariable>} variables
 * @property {Problem[]} problems
 */

/**
 * What the root is to Keras, and how many objects are Keras's.
 * @typedef {object} KerasRoot
 * @property {string} identifier such as '_tf_keras_network'
 * @property {number} objects
 */

/**
 * The overview of a SavedModel.
 * @typedef {object} SavedModelOverview
 * @property {'saved_model'} kind
 * @property {number} schema_version
 * @property {Paged<MetaGraph>} meta_graphs
 * @property {number} meta_graph which of them the rest is about
 * @property {Paged<Signature>} signatures
 * @property {Paged<Asset>} assets
 * @property {Initializer[]} initializers
 * @property {Saver} [saver]
 * @property {Paged<Collection>} collections
 * @property {{ source: 'exporter', total: number, custom: string[] }} ops how many operations the
 *   exporter says that the graph uses, and which of them are not TensorFlow's
 * @property {ObjectCounts | null} objects null for TensorFlow 1, which wrote no object graph
 * @property {Parameters} parameters
 * @property {VariableCounts} variables
 * @property {number} [concrete_functions] how many; absent for TensorFlow 1
 * @property {(KerasRoot & Partial<KerasSummary>) | null} keras what the root is to Keras, and
 *   how many objects are Keras's
 * @property {Problem[]} problems
 */

/**
 * The overview of a meta graph alone.
 * @typedef {Omit<SavedModelOverview, 'kind' | 'schema_version'> & { kind: 'meta_graph' }} MetaGraphOverview
 */

/* --- Objects ------------------------------------------------------------------ */

/**
 * Where an object is.
 * @typedef {object} Place
 * @property {number} node its node id
 * @property {string | null} path the shortest, such as 'root.layer.kernel'; null for what the
 *   root does not lead to, and for a node id that no object has
 */

/**
 * An object that another names; without a path when no object has the node id.
 * @typedef {object} ObjectReference
 * @property {number} node
 * @property {string | null} [path]
 */

/**
 * How Python calls a function.
 * @typedef {object} FunctionSpec
 * @property {Structured} fullargspec
 * @property {boolean} is_method
 * @property {Structured} input_signature
 * @property {'default' | 'on' | 'off' | 'unknown'} jit_compile
 */

/**
 * An object of a class.
 * @typedef {object} UserObject
 * @property {'user_object'} kind
 * @property {string} [registered_name]
 * @property {string} identifier such as '_generic_user_object'
 * @property {number} [version]
 * @property {Extent} [metadata] where they lie
 */

/**
 * A file that the model needs.
 * @typedef {object} AssetObject
 * @property {'asset'} kind
 * @property {string} [registered_name]
 * @property {number} index among the assets
 * @property {string} [file]
 */

/**
 * A polymorphic function (SavedFunction).
 * @typedef {object} FunctionObject
 * @property {'function'} kind
 * @property {string} [registered_name]
 * @property {string[]} concrete_functions in the library
 * @property {FunctionSpec} [function_spec]
 */

/**
 * A variable.
 * @typedef {object} VariableObject
 * @property {'variable'} kind
 * @property {string} [registered_name]
 * @property {string} name
 * @property {string} dtype
 * @property {Shape} shape
 * @property {boolean} trainable
 * @property {string} [device]
 */

/**
 * A function that has one signature (SavedBareConcreteFunction).
 * @typedef {object} BareConcreteFunctionObject
 * @property {'bare_concrete_function'} kind
 * @property {string} [registered_name]
 * @property {string} concrete_function in the library
 * @property {string[]} argument_keywords
 * @property {number} allowed_positional_arguments
 * @property {FunctionSpec} [function_spec]
 */

/**
 * A constant of the graph.
 * @typedef {object} ConstantObject
 * @property {'constant'} kind
 * @property {string} [registered_name]
 * @property {string} operation the graph's node
 */

/**
 * A resource, such as a table, that is made when the model is loaded.
 * @typedef {object} ResourceObject
 * @property {'resource'} kind
 * @property {string} [registered_name]
 * @property {string} [device]
 */

/**
 * A tensor of a function, used from outside of it.
 * @typedef {object} CapturedTensorObject
 * @property {'captured_tensor'} kind
 * @property {string} [registered_name]
 * @property {string} name
 * @property {string} concrete_function that it is in
 */

/**
 * An object of no kind, such as a list.
 * @typedef {object} PlainObject
 * @property {'none'} kind
 * @property {string} [registered_name]
 */

/**
 * What an object is.
 * @typedef {UserObject | AssetObject | FunctionObject | VariableObject
 *   | BareConcreteFunctionObject | ConstantObject | ResourceObject | CapturedTensorObject
 *   | PlainObject} SavedObject
 */

/**
 * A child that is there: the name it has here; whether its place in the tree is `path`, elsewhere
 * than here; and how many children it has.
 * @typedef {{ child: string, elsewhere: boolean, children: number } & Place & SavedObject}
 *   KnownChild
 */

/**
 * A child of an object; without a kind when no object has the node id.
 * @typedef {KnownChild | { child: string, node: number, path: null, kind?: undefined }} Child
 */

/**
 * A variable of an optimizer, for another variable.
 * @typedef {object} SlotVariable
 * @property {string} name
 * @property {ObjectReference} variable
 * @property {ObjectReference} original which it is for
 */

/**
 * Functions that save and restore something of an object.
 * @typedef {object} Saveable
 * @property {string} name
 * @property {ObjectReference} save_function
 * @property {ObjectReference} restore_function
 */

/**
 * What belongs to an object.
 * @typedef {object} ObjectDetails
 * @property {Paged<Child>} children
 * @property {({ name: string } & ObjectReference)[]} dependencies what must be made before it
 * @property {SlotVariable[]} slot_variables
 * @property {Saveable[]} saveables
 * @property {Problem[]} problems
 */

/**
 * An object of the object graph.
 * @typedef {Place & SavedObject & ObjectDetails} ObjectAnswer
 */

/**
 * A variable as TensorFlow 1 lists it.
 * @typedef {object} V1Variable
 * @property {'variable'} kind
 * @property {string} name
 * @property {string} initializer
 * @property {boolean} resource whether it is a resource variable
 * @property {boolean} trainable
 */

/**
 * The variables of TensorFlow 1, which wrote no object graph, as the root's children.
 * @typedef {object} V1ObjectAnswer
 * @property {null} node
 * @property {'root'} path
 * @property {'none'} kind
 * @property {Paged<V1Variable>} children
 * @property {Problem[]} problems
 */

/* --- Functions ---------------------------------------------------------------- */

/**
 * What a function is handed over beside its arguments: an object, for the argument of that name;
 * without a kind when no object has the node id.
 * @typedef {({ argument?: string } & Place & SavedObject)
 *   | { argument?: string, node: number, path: null, kind?: undefined }} Capture
 */

/**
 * An argument as Python has it.
 * @typedef {object} Argument
 * @property {string | null} name
 * @property {Structured} value what it was traced with
 */

/**
 * What the object graph says of a function.
 * @typedef {object} ConcreteFunction
 * @property {(Place & { kind: ObjectKind })[]} objects that are it
 * @property {Capture[]} captures
 * @property {Argument[]} arguments
 * @property {Structured} returns
 */

/**
 * The function of a signature.
 * @typedef {object} SignatureFunction
 * @property {string} name
 * @property {number} nodes
 * @property {Call[]} calls
 */

/**
 * What `signatures` of the root object has for the key; it calls the function. Without `captures`
 * and `calls` when the function is not in the library.
 * @typedef {{ function: string, captures?: Capture[], calls?: Call[] } & Place
 *   & BareConcreteFunctionObject} SignatureWrapper
 */

/**
 * A variable of the graph.
 * @typedef {object} GraphVariable
 * @property {string} node
 * @property {string} op such as 'VarHandleOp'
 * @property {string} [shared_name]
 * @property {string} dtype
 * @property {Shape} shape
 */

/**
 * What the outputs need, back through the graph.
 * @typedef {object} SignatureGraph
 * @property {number} nodes how many
 * @property {{ node: string, function: string }[]} functions that are called, and by which node
 * @property {Paged<GraphVariable>} variables
 */

/**
 * A signature, followed to its function, captures and variables. `wrapper` and `function` are
 * null for TensorFlow 1.
 * @typedef {object} SignatureAnswer
 * @property {string} key such as 'serving_default'
 * @property {string} method
 * @property {SignatureTensor[]} inputs
 * @property {SignatureTensor[]} outputs
 * @property {({ name: string } & Tensor)[]} defaults of inputs
 * @property {SignatureWrapper | null} wrapper
 * @property {(SignatureFunction & ConcreteFunction) | null} function
 * @property {SignatureGraph} graph
 * @property {Problem[]} problems
 */

/**
 * One function, with what the object graph says of it.
 * @typedef {FunctionDef & ConcreteFunction} FunctionAnswer
 */

/* --- Searching and cutting ---------------------------------------------------- */

/**
 * How many of something a model still has that was cut down.
 * @typedef {object} Share
 * @property {number} kept
 * @property {number} total
 */

/**
 * An object that stays: asked for, reached from these, needed by them, or a plain object around
 * them. Its node and path are those that it had.
 * @typedef {Place & { new_node: number, why: 'asked' | 'reached' | 'needed' | 'around' }} Kept
 */

/**
 * What a model has that is cut down to some objects.
 * @typedef {object} CutAnswer
 * @property {number} size of its saved_model.pb, in bytes
 * @property {number} [keras_metadata_size] of its keras_metadata.pb, in bytes
 * @property {boolean} runs_in_a_session whether a signature stays
 * @property {Share} functions
 * @property {Share} concrete_functions
 * @property {Share} graph_nodes
 * @property {string[]} signatures
 * @property {string[]} signatures_cut_off
 * @property {Paged<Kept>} objects
 * @property {Problem[]} problems
 */

/**
 * What was found.
 * @typedef {{ is: 'signature' | 'function', name: string }
 *   | ({ is: 'layer', index: number } & KerasIdentity)
 *   | ({ is: 'object', name: string, kind: ObjectKind } & Place)
 *   | { is: 'node', name: string, op: string, function: string | null }
 *   | { is: 'input', name: string, function: string }} Found
 */

/**
 * What has a text in its name.
 * @typedef {object} SearchAnswer
 * @property {Paged<Found>} found
 * @property {Problem[]} problems
 */

export {};

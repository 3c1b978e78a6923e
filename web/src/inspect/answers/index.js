/** Which question has which answer, for each kind of model; no code. */

/** @import * as Graph from './graph.js' */
/** @import * as Keras from './keras.js' */
/** @import * as Coreml from './coreml.js' */
/** @import * as Model from './model.js' */
/** @import * as Onnx from './onnx.js' */
/** @import * as SameDiff from './samediff.js' */
/** @import * as TensorFlow from './tensorflow.js' */

/**
 * Of a SavedModel.
 * @typedef {object} SavedModelAnswers
 * @property {TensorFlow.SavedModelOverview} overview
 * @property {TensorFlow.SignatureAnswer} signature
 * @property {Graph.FunctionsAnswer} functions
 * @property {TensorFlow.FunctionAnswer} function
 * @property {Graph.NodesAnswer} nodes
 * @property {Graph.ScopesAnswer} scopes
 * @property {Graph.ConsumersAnswer} consumers
 * @property {Graph.NodeAnswer} node
 * @property {TensorFlow.ObjectAnswer | TensorFlow.V1ObjectAnswer} objects
 * @property {Keras.LayersAnswer | Graph.NamedLayersAnswer} layers
 * @property {Graph.ConstantsAnswer} constants
 * @property {Graph.OpsAnswer} ops
 * @property {TensorFlow.SearchAnswer} search
 * @property {Keras.LoadAnswer} load
 * @property {TensorFlow.CutAnswer} cut
 * @property {TensorFlow.VariablesAnswer} variables
 */

/**
 * Of a meta graph that stands alone, in a .meta file of TensorFlow 1.
 * @typedef {Omit<SavedModelAnswers, 'overview' | 'cut'> & { overview: TensorFlow.MetaGraphOverview }} MetaGraphAnswers
 */

/**
 * Of a graph that stands alone.
 * @typedef {object} GraphDefAnswers
 * @property {Graph.GraphOverview} overview
 * @property {Graph.FunctionsAnswer} functions
 * @property {TensorFlow.FunctionAnswer} function
 * @property {Graph.NodesAnswer} nodes
 * @property {Graph.ScopesAnswer} scopes
 * @property {Graph.ConsumersAnswer} consumers
 * @property {Graph.NodeAnswer} node
 * @property {Graph.NamedLayersAnswer} layers
 * @property {Graph.ConstantsAnswer} constants
 * @property {Graph.OpsAnswer} ops
 * @property {TensorFlow.SearchAnswer} search
 */

/**
 * Of keras_metadata.pb.
 * @typedef {object} KerasAnswers
 * @property {Keras.KerasOverview} overview
 * @property {Keras.LayersAnswer} layers
 * @property {Keras.KerasSearchAnswer} search
 * @property {Keras.LoadAnswer} load
 */

/**
 * Of a SameDiff zip.
 * @typedef {object} SameDiffZipAnswers
 * @property {SameDiff.SameDiffZipOverview} overview
 * @property {SameDiff.SameDiffFunctionsAnswer} functions
 * @property {SameDiff.SameDiffFunctionAnswer} function
 * @property {SameDiff.SameDiffNodesAnswer} nodes
 * @property {SameDiff.SameDiffScopesAnswer} scopes
 * @property {SameDiff.SameDiffConsumersAnswer} consumers
 * @property {SameDiff.SameDiffNodeAnswer} node
 * @property {SameDiff.SameDiffLayersAnswer} layers
 * @property {SameDiff.ZipConstantsAnswer} constants
 * @property {SameDiff.SameDiffOpsAnswer} ops
 * @property {SameDiff.SameDiffSearchAnswer} search
 * @property {SameDiff.ZipTagAnswer} tag
 */

/**
 * Of a graph file of ND4J.
 * @typedef {object} SameDiffGraphAnswers
 * @property {SameDiff.SameDiffGraphOverview} overview
 * @property {SameDiff.SameDiffFunctionsAnswer} functions
 * @property {SameDiff.SameDiffFunctionAnswer} function
 * @property {SameDiff.SameDiffNodesAnswer} nodes
 * @property {SameDiff.SameDiffScopesAnswer} scopes
 * @property {SameDiff.SameDiffConsumersAnswer} consumers
 * @property {SameDiff.SameDiffNodeAnswer} node
 * @property {SameDiff.SameDiffLayersAnswer} layers
 * @property {SameDiff.GraphConstantsAnswer} constants
 * @property {SameDiff.SameDiffOpsAnswer} ops
 * @property {SameDiff.SameDiffSearchAnswer} search
 * @property {SameDiff.GraphTagAnswer} tag
 */

/**
 * Of an ONNX model.
 * @typedef {object} OnnxAnswers
 * @property {Onnx.OnnxOverview} overview
 * @property {Model.ModelFunctionsAnswer} functions
 * @property {Onnx.OnnxFunction | Onnx.OnnxSubgraph} function
 * @property {Onnx.OnnxNodesAnswer} nodes
 * @property {Model.ModelScopesAnswer} scopes
 * @property {Model.ModelConsumersAnswer} consumers
 * @property {Onnx.OnnxNodeAnswer} node
 * @property {Model.ModelLayersAnswer} layers
 * @property {Model.ModelConstantsAnswer} constants
 * @property {Onnx.OnnxOpsAnswer} ops
 * @property {Model.ModelSearchAnswer} search
 */

/**
 * Of a Core ML model.
 * @typedef {object} CoremlAnswers
 * @property {Coreml.CoremlOverview} overview
 * @property {Model.ModelFunctionsAnswer} functions
 * @property {Coreml.CoremlFunction} function
 * @property {Coreml.CoremlNodesAnswer} nodes
 * @property {Model.ModelScopesAnswer} scopes
 * @property {Model.ModelConsumersAnswer} consumers
 * @property {Coreml.CoremlNodeAnswer} node
 * @property {Model.ModelLayersAnswer} layers
 * @property {Model.ModelConstantsAnswer} constants
 * @property {Coreml.CoremlOpsAnswer} ops
 * @property {Model.ModelSearchAnswer} search
 */

/**
 * The answers by the model's kind and the question's name; a question that is not there is
 * refused with code UNSUPPORTED.
 * @typedef {object} Answers
 * @property {SavedModelAnswers} saved_model
 * @property {GraphDefAnswers} graph_def
 * @property {KerasAnswers} keras_metadata
 * @property {SameDiffZipAnswers} samediff_zip
 * @property {SameDiffGraphAnswers} samediff_graph
 * @property {OnnxAnswers} onnx
 * @property {CoremlAnswers} coreml
 * @property {MetaGraphAnswers} meta_graph
 */

/**
 * What a model is: a SavedModel, a frozen graph, keras_metadata.pb, a SameDiff zip, a graph
 * as ND4J saves it, an ONNX model, a Core ML model, or a meta graph of TensorFlow 1.
 * @typedef {keyof Answers} ModelKind
 */

/**
 * What can be asked; docs/inspecting.md says what each answers.
 * @typedef {'overview' | 'signature' | 'functions' | 'function' | 'nodes' | 'objects' | 'layers'
 *   | 'constants' | 'ops' | 'search' | 'load' | 'tag' | 'scopes' | 'cut' | 'consumers'
 *   | 'variables' | 'node'} QuestionName
 */

/**
 * Every key that one of the types has.
 * @template T
 * @typedef {T extends unknown ? keyof T : never} KeyOfAny
 */

/**
 * One of the types; what only others have is there as undefined, so that it may be looked for.
 * @template T
 * @template {PropertyKey} [Key=KeyOfAny<T>]
 * @typedef {T extends unknown ? T & { [K in Exclude<Key, keyof T>]?: undefined } : never} OneOf
 */

/**
 * What a question to a model of one of these kinds is answered with.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {OneOf<Kind extends unknown
 *   ? Question extends keyof Answers[Kind] ? Answers[Kind][Question] : never : never>} AnswerOf
 */

/**
 * What `inspect()` gives for it.
 * @template {ModelKind} Kind
 * @template {QuestionName} Question
 * @typedef {Promise<AnswerOf<Kind, Question>>} Answer
 */

export {};

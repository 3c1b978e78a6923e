/** inspect(): examines a model without its weights. */
import { asCpbError, CpbError } from '../errors.js';
import * as content from '../reader/message-content.js';
import { feedOf } from '../reader/message-feed.js';
import { disposable } from '../reader/open-file.js';
import { openAs } from '../reader/open.js';
import { cutAddress, hasModels, isOfModels, isZip, moduleOf, withoutQuery } from './address.js';
import { guess } from './guess.js';
import { askerOfAll, kindsOf, numberOf } from './model.js';
import * as is from '../options.js';

/** @import { Cost, ReadOptions } from '../types.js' */
/** @import { Told } from '../progress.js' */
/** @import { Input } from '../source/index.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { Cut } from './cut.js' */
/** @import { Answer, AnswerOf, ModelKind, QuestionName } from './asked.js' */
/** @import { OnnxBriefOverview } from './answers.js' */
/** @import { CheckpointFiles } from './checkpoint.js' */
/** @import { QuestionOptions } from './model.js' */
/** @import { Values, ValuesOptions } from './values.js' */

/**
 * How to open a model; everything is optional.
 * @template {ModelKind} [Kind=ModelKind]
 * @typedef {OpenOptions & {
 *   kind?: Kind,
 *   maxValue?: number,
 *   maxMemory?: number,
 *   kerasMetadata?: Uint8Array,
 *   fingerprint?: Uint8Array,
 *   checkpoint?: CheckpointFiles | true,
 *   entry?: string,
 * }} InspectOptions kind: by default recognized from the name or the first bytes; maxValue: longer values are not
 *   read, in bytes, default 1024; maxMemory: memory for the parts that are read, in bytes, default 64 MiB;
 *   kerasMetadata, fingerprint: the keras_metadata.pb and fingerprint.pb next to a SavedModel; checkpoint: the files
 *   in `variables/` next to it, or those next to a .meta file, which have the values of its variables; true for those
 *   next to a URL or path. The data files of a checkpoint by itself are expected next to it, unless its `data`
 *   provides them; entry: the name of one of several models in a zip archive, also after `!/` in a URL or path. Files
 *   next to a SavedModel in an archive are read with it
 */

/**
 * Like the options of inspect().
 * @typedef {{ kerasMetadata?: Uint8Array, fingerprint?: Uint8Array, checkpoint?: CheckpointFiles | true }} Beside
 */
/**
 * Which part of a list.
 * @typedef {object} Page
 * @property {AbortSignal} [signal]
 * @property {ReadOptions['onProgress']} [onProgress]
 * @property {number} [first] number of the first element, from 0
 * @property {number | 'all'} [count] the largest number of elements, default 100
 * @property {number} [metaGraph] of a SavedModel: which, from 0
 * @property {boolean} [brief] for ONNX: an answer after a few requests however many initializers there are, without the
 *   parts that need these; `unread` lists what was not read. Has no effect on layers and constants
 */

/**
 * The extent of a search, or its target.
 * @typedef {object} Reach
 * @property {string} [function] the graph with the node; by default the model's own
 * @property {number} [distance] largest number of steps; 0: unlimited
 * @property {string} [to] a node or value of the same graph: only a shortest path to it
 */

/**
 * A model that answers questions. Each answer is an object that docs/inspecting.md describes; lists come in pages
 * `{ total, first, items }`. `problems` lists the parts of a damaged model that could not be read. Only the parts that
 * a question needs are read, and only once; weights never are. Answers have the types of the kind that was passed to
 * `inspect`; without a kind, code may also read keys that only other kinds have, which are then undefined.
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @typedef {object} ModelBase
 * @property {Kind} kind
 * @property {Message} message the (merged) message: its bytes, fields and chunks
 * @property {Cost} transferred so far
 * @property {<Question extends QuestionName>(question: Question, options?: QuestionOptions) =>
 *   Answer<Kind, Question>} ask any question by its name; the methods below are shorter forms
 * @property {{
 *   (options: Page & { brief: true }): Promise<Kind extends 'onnx' ? OnnxBriefOverview : AnswerOf<Kind, 'overview'>>,
 *   (options?: Page): Answer<Kind, 'overview'>,
 * }} overview versions, meta graphs or tags, signatures, counts: a few small reads
 * @property {(key: string, options?: Page) => Answer<Kind, 'signature'>} signature one, followed
 *   to its function, captures and variables
 * @property {(options?: Page) => Answer<Kind, 'functions'>} functions the function library, and graphs
 *   within nodes
 * @property {(name: string, options?: Page) => Answer<Kind, 'function'>} function one of these functions
 * @property {(options?: Page & { function?: string, tag?: string, scope?: string }) => Answer<Kind, 'nodes'>}
 *   nodes the nodes of the graph, of a function or of a SameDiff tag; with `scope`, only those in a name scope
 * @property {(options?: Page & { function?: string, tag?: string, scope?: string }) => Answer<Kind, 'scopes'>}
 *   scopes the scopes and nodes in a name scope of the graph or of a function, and the edges to each
 * @property {(name: string, options?: Page & { function?: string, tag?: string }) => Answer<Kind, 'node'>} node one
 *   node: its inputs and their sources, its outputs and their consumers, and its attributes
 * @property {(name: string, options?: Page & { function?: string, tag?: string }) =>
 *   Answer<Kind, 'consumers'>} consumers the consumers of a node of the graph or of a function, or of a variable of a
 *   SameDiff tag, with the numbers of their inputs
 * @property {(name: string, options?: Page & Reach) => Answer<Kind, 'upstream'>} upstream everything that a node or
 *   value depends on, the nearest first, through calls and graphs within nodes; or a shortest path to another one
 * @property {(name: string, options?: Page & Reach) => Answer<Kind, 'downstream'>} downstream everything that depends
 *   on it
 * @property {(path?: string, options?: Page) => Answer<Kind, 'objects'>} objects an object of the
 *   object graph and its children, by its path such as 'root.layers.0'
 * @property {(options?: Page & { name?: string }) => Answer<Kind, 'layers'>} layers the Keras layers and their
 *   connections, or layers derived from names
 * @property {(options?: Page) => Answer<Kind, 'constants'>} constants or parameters, the largest
 *   first
 * @property {(options?: Page) => Answer<Kind, 'ops'>} ops the number of uses of each operation
 * @property {(text: string, options?: Page) => Answer<Kind, 'search'>} search everything with the text in its name
 * @property {(options?: Page & { name?: string }) => Answer<Kind, 'variables'>} variables of a SavedModel, with the
 *   entries of its `checkpoint` for each; or a checkpoint's tensors; with a name, path or key only the matching ones
 * @property {(paths: string[], options?: Page) => Answer<Kind, 'load'>} nodesToLoad Keras: the nodes that must be
 *   loaded for the nodes at these paths
 * @property {(paths: string[], options?: Page) => Promise<Cut>} cut a SavedModel with only the objects at these paths
 *   and those they need, to be written; `first` and `count` apply to its report
 * @property {(tag?: string, options?: Page) => Answer<Kind, 'tag'>} tag SameDiff: the graph of a tag, by default the
 *   newest (the last in the file)
 * @property {(name: string, options?: ValuesOptions) => Promise<Values>} values of one
 *   constant of a SavedModel or graph, one of its variables, one tensor of a checkpoint, one array of a SameDiff
 *   model, or one initializer or other constant of another model, also one in another file, streamed
 * @property {(beside: Beside, options?: { signal?: AbortSignal }) => Promise<void>} add adds files next to a SavedModel
 *   when they are needed; later answers are as if `inspect` had been given them
 * @property {() => void} close frees everything; `using` calls it as well
 */
/**
 * An opened model, which `using` also closes.
 * @template {ModelKind} [Kind=ModelKind]
 * @typedef {ModelBase<Kind> & Disposable & AsyncDisposable} Model
 */

/** @type {import('../options.js').Known} */
const lyingBeside = {
  kerasMetadata: is.bytes,
  fingerprint: is.bytes,
  checkpoint: is.either(is.oneOf(true), is.within({ index: is.anything, data: is.callback })),
};

/** @type {import('../options.js').Known} */
const known = {
  ...is.opening,
  ...lyingBeside,
  kind: is.text, // one of the kinds that the module supports
  maxValue: is.size,
  maxMemory: is.size,
  entry: is.text,
};

/**
 * Opens a model for inspection: its file, of any kind in `ModelKind`, or the .cpb that was split from it.
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @param {Input} input as for open()
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<Model<Kind>>}
 */
export async function inspect(input, options = {}) {
  return modelOf(await openInside(input, options, { keepDamaged: true }));
}

/** A name with this ending belongs to a plain message, so its end is not searched for an index. @param {any} input */
const formatOf = (input) =>
  /\.(onnx|mlmodel)$/i.test(input?.name ?? withoutQuery(String(input))) ? /** @type {const} */ ('pb') : undefined;

/**
 * The internals of a model.
 *
 * @template {ModelKind} Kind
 * @param {Input} input
 * @param {InspectOptions<Kind>} options
 * @param {object} [how]
 * @param {Parameters<typeof openAs>[4]} [how.within] an existing instance
 * @param {boolean} [how.packed] it was in an archive: its contents are not searched for another one
 * @param {boolean} [how.models] it is opened in an instance of `models`
 * @param {boolean} [how.keepDamaged] if chunks are damaged, questions are answered from the rest
 */
export async function openInside(input, options, { within, keepDamaged = false, packed = false, models = false } = {}) {
  is.checkOptions(options, known);
  // As natively: chunks are not examined only for their sizes. Questions are about the entire message.
  const address = cutAddress(input);
  const format = formatOf(address.input);
  const how = { trustSizes: true, format, entry: address.entry, ...options, keepDamaged, wholeIndex: true };
  const which = models ? async () => /** @type {const} */ ('models') : moduleOf(options);
  const opened = await openAs(which, () => content, address.input, how, within);
  try {
    const model = options.kind || format || packed ? undefined : await unpack(opened, how);
    if (model)
      return await openInside(model.source, besides(model.beside, options), {
        within,
        keepDamaged,
        packed: true,
        models: true,
      });
    return await insideOf(address.input, opened, how);
  } catch (error) {
    opened.file.close();
    throw error;
  }
}

/* A page loads code that few models and calls need on demand. */

/** @type {typeof import('./checkpoint.js').addCheckpoint} */
const addCheckpoint = async (...args) => (await import('./checkpoint.js')).addCheckpoint(...args);

/** @type {typeof import('./values.js').valuesOf} */
const valuesOf = async (...args) => (await import('./values.js')).valuesOf(...args);

/** The file in an instance with all functions. @type {typeof import('../reader/beside-file.js').wholeOf} */
const wholeOf = async (file) =>
  hasModels(file.instance) ? file : (await import('../reader/beside-file.js')).wholeOf(file);

/** @type {typeof import('./text.js').fromText} */
const textIn = async (...args) => (await import('./text.js')).fromText(...args);

/**
 * Options for a model in an archive: given files take precedence over those next to it in the archive.
 *
 * @template {InspectOptions<any>} Options @param {Beside} beside @param {Options} options @returns {Options}
 */
const besides = (beside, options) => ({
  ...beside,
  ...options,
  ...(options.checkpoint === true && { checkpoint: beside.checkpoint }),
});

/**
 * The model in a zip archive.
 *
 * @param {Awaited<ReturnType<typeof openAs>>} opened @param {{ signal?: AbortSignal, entry?: string }} options
 */
async function unpack({ file }, options) {
  const head = /\.c?pb$/i.test(file.source.name ?? '')
    ? undefined
    : await file.source.read(0, 4, { signal: options.signal });
  if (!head || !isZip(head)) return undefined;
  const whole = await wholeOf(file);
  return (await import('./archive.js')).modelIn({ ...whole, close: file.close }, options);
}

/**
 * The state that the methods of an opened model share.
 * @typedef {object} State
 * @property {import('../reader/open-file.js').OpenFile} file in the instance with the model's engines
 * @property {() => void} close
 * @property {import('../reader/merged-body.js').Body} body
 * @property {import('../wasm/feed.js').Feed} feed of the message
 * @property {ModelKind} kind
 * @property {import('./checkpoint.js').Checkpoint} [checkpoint]
 */
/** @typedef {ReturnType<typeof askerOfAll>} Asker */

/**
 * @template {ModelKind} Kind @param {Input} input @param {Awaited<ReturnType<typeof openAs>>} opened
 * @param {InspectOptions<Kind> & { keepDamaged: boolean }} options
 */
async function insideOf(input, { file, content, message, told }, options) {
  const { signal } = options;
  is.checkOptions({ kind: options.kind }, { kind: is.oneOf(...kindsOf(file.instance)) });
  const { body, merged } = await (await content()).whole();
  const damaged = options.keepDamaged ? merged : undefined;
  const size = await body.size({ signal, got: told });
  const ofFile = await feedOf(file, body, size);
  const whole = () => wholeOf(file);
  const given = size > 0 ? options.kind : undefined; // an empty file is not a model of any kind
  const about = { name: file.source.name ?? '', size, signal };
  const guessed = given ? { kind: given } : await guess(file.instance, ofFile, whole, about);
  const kind = /** @type {Kind} */ (guessed.kind);
  told?.(ofFile.got);
  const text = guessed.isText && (await textIn(await whole(), numberOf(file.instance, kind), body, size, options));
  const feed = text ? text.feed : ofFile;
  const own = isOfModels(kind) ? await whole() : file;
  const asking = askerOfAll(whole, own, feed, kind, options, text ? undefined : damaged);
  const damage = text ? text.damage : await damaged?.damage({ signal });
  if (damage) asking.noteDamage(damage);
  /** @type {State} */
  const state = { file: own, close: file.close, body: text ? text.body : body, feed, kind };
  if (kind === 'checkpoint') {
    await addCheckpoint(state, asking, { model: input, given: options.checkpoint, own: feed }, options, told);
    return { message, state, asking, take: async () => {}, kind };
  }
  /** @type {(beside: Beside, how: OpenOptions, told?: Told) => Promise<void>} */
  const take = (beside, how, told) => add(state, asking, beside, { ...options, ...how, input, told });
  await take(options, {}, told);
  return { message, state, asking, take, kind };
}

/**
 * @template {ModelKind} Kind @param {{ kind: Kind } & Awaited<ReturnType<typeof openInside>>} inside
 * @returns {Model<Kind>}
 */
function modelOf({ message, state, asking, take, kind }) {
  /** @type {ModelBase<Kind>} */
  const model = {
    kind,
    message,
    get transferred() {
      return message.transferred;
    },
    ...questionsOf(asking),
    cut: (paths, o) => cut(state, asking, paths, o),
    values: (name, o) => values(state, asking, name, o),
    async add(beside, o = {}) {
      is.checkOptions(beside, lyingBeside);
      is.checkOptions(o, { signal: is.signal });
      await take(beside, { signal: o.signal });
    },
    close: state.close,
  };
  return disposable(model);
}

/**
 * A method for each question.
 *
 * @param {Asker} asking
 * @returns {Omit<ModelBase<any>, 'kind' | 'message' | 'transferred' | 'cut' | 'values' | 'add' | 'close'>}
 */
const questionsOf = ({ ask }) => ({
  ask,
  overview: (o) => ask('overview', o),
  signature: (name, o) => ask('signature', { ...o, name }),
  functions: (o) => ask('functions', o),
  function: (name, o) => ask('function', { ...o, name }),
  nodes: ({ function: name, tag, ...o } = {}) => ask('nodes', { ...o, name: name ?? tag }),
  scopes: ({ function: name, tag, ...o } = {}) => ask('scopes', { ...o, name: name ?? tag }),
  node: (name, { function: scope, tag, ...o } = {}) => ask('node', { ...o, name, scope: scope ?? tag }),
  consumers: (name, { function: scope, tag, ...o } = {}) => ask('consumers', { ...o, name, scope: scope ?? tag }),
  upstream: (name, { function: scope, ...o } = {}) => ask('upstream', { ...o, name, scope }),
  downstream: (name, { function: scope, ...o } = {}) => ask('downstream', { ...o, name, scope }),
  objects: (name, o) => ask('objects', { ...o, name }),
  layers: (o) => ask('layers', o),
  constants: (o) => ask('constants', o),
  ops: (o) => ask('ops', o),
  search: (name, o) => ask('search', { ...o, name }),
  nodesToLoad: (paths, o) => ask('load', { ...o, name: paths.join('\n') }),
  tag: (name, o) => ask('tag', { ...o, name }),
  variables: (o) => ask('variables', o),
});

/**
 * @param {State} state @param {Asker} asking @param {Beside} beside
 * @param {OpenOptions & { input: Input, told?: Told }} how
 */
async function add(state, asking, { kerasMetadata, fingerprint, checkpoint: files }, { input, told, ...options }) {
  if (kerasMetadata) await asking.setFile('keras_metadata', kerasMetadata);
  if (fingerprint) await asking.setFile('fingerprint', fingerprint);
  if (files) await addCheckpoint(state, asking, { model: input, given: files }, options, told);
}

/**
 * A name that is not a constant of the model may be a variable.
 *
 * @param {State} state @param {Asker} asking @param {string} name @param {ValuesOptions} [how]
 */
async function values(state, asking, name, how = {}) {
  if (how.variable || state.kind === 'checkpoint') return variableValues(state, asking, name, how);
  try {
    return await valuesOf(state, name, how);
  } catch (error) {
    const { code, message } = asCpbError(error, 'the source');
    if (code !== 'NOT_FOUND' || !state.checkpoint || how.function !== undefined || how.tensor) throw error;
    return variableValues(state, asking, name, how).catch((other) => {
      if (other?.code !== 'NOT_FOUND') throw other;
      throw new CpbError('NOT_FOUND', `${message}; ${other.message}`, { cause: error });
    });
  }
}

/** @param {State} state @param {Asker} asking @param {string} name @param {ValuesOptions} how */
async function variableValues(state, { ask }, name, how) {
  const { checkpoint } = state;
  if (!checkpoint) throw new CpbError('USAGE', 'values of variables need the option checkpoint of inspect()');
  const { metaGraph, signal, onProgress } = how;
  const found = (await ask('variables', { name, metaGraph, signal, onProgress })).variables;
  const key = keyOf(found, name);
  return valuesOf(state, key, how, checkpoint);
}

/**
 * The key of the variable with the name as its path or key, or else of the only one that is stored. The copy that Keras
 * 3 stores of a weight counts as the same one.
 *
 * @param {any} page @param {string} name
 */
function keyOf({ items, total }, name) {
  const stored = items.filter((/** @type {any} */ v) => v.key);
  const exact = stored.find((/** @type {any} */ v) => v.path === name || v.key === name);
  if (exact) return exact.key;
  const originals = stored.filter((/** @type {any} */ v) => !v.copy_of);
  const keys = new Set((originals.length > 0 ? originals : stored).map((/** @type {any} */ v) => v.key));
  if (keys.size === 0) throw new CpbError('NOT_FOUND', `the checkpoint has no value of ${name}`);
  if (keys.size === 1) return [...keys][0];
  const copies = items.filter((/** @type {any} */ v) => v.copy_of).length;
  const count = copies < total ? total - copies : total;
  throw new CpbError('NOT_FOUND', `${name} is ambiguous: ${count} variables have this name`);
}

/** @param {State} state @param {Asker} asking @param {string[]} paths @param {Page} [page] @returns {Promise<Cut>} */
async function cut({ body }, { askFor }, paths, page) {
  if (paths.length === 0) throw new CpbError('USAGE', 'paths is empty; expected at least one, such as root.layer');
  const { cutOutput, cutSource, KERAS_METADATA, planOf, SAVED_MODEL } = await import('./cut.js');
  const { answer, taken } = await askFor('cut', { ...page, name: paths.join('\n') }, (engine, instance) =>
    [SAVED_MODEL, KERAS_METADATA].map((one) => planOf(instance, engine, one)),
  );
  const [saved = [], keras = []] = taken;
  return {
    report: answer,
    savedModel: cutOutput(body, saved),
    kerasMetadata: keras.length > 0 ? cutOutput(body, keras) : undefined,
    source: cutSource(body, saved),
  };
}

/** open(): a message, chunked (.cpb) or plain (.pb), by range. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../modules.js';
import { loadSoon, parts } from '../parts.js';
import { teller } from '../progress.js';
import { prepare } from '../source/index.js';
import { streamOf } from '../source/streams.js';
import { NEED } from '../wasm/engine.js';
import { checkRange, chunkOf } from './chunks.js';
import { disposable, openFile } from './open-file.js';
import { openSchema, typeNamed } from './schema.js';
import { fits, treeOf } from './tree.js';

/** @import { Cost, Limits, Range, ReadOptions } from '../types.js' */
/** @import { Told } from '../progress.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Chunk } from './chunks.js' */
/** @import { Field } from './fields.js' */
/** @import { Kind } from '../modules.js' */
/** @import { Input, Prepared, SourceOptions } from '../source/index.js' */
/** @import { OpenFile, Verify } from './open-file.js' */
/** @import { Plan } from './message-content.js' */
/** @import { OtherFile } from './other-file.js' */
/** @import { Node } from './tree.js' */

/**
 * How to open a message; everything is optional.
 * @typedef {object} OpenOptions
 * @property {AbortSignal} [signal] for opening
 * @property {ReadOptions['onProgress']} [onProgress] of opening
 * @property {string} [type] full name of the message's type; by default the first of SavedModel, GraphDef, MetaGraphDef
 *   and FunctionDef (of TensorFlow) that fits the tree
 * @property {Uint8Array} [schema] a serialized FileDescriptorSet that has the type
 * @property {'cpb' | 'pb'} [format] by default recognized from the file
 * @property {Limits} [limits]
 * @property {Verify} [verify] when hashes are checked, for every read of this file; each method has its own default
 * @property {boolean} [trustSizes] true: the index's sizes of the chunks count, and a chunk of another size is DAMAGED
 *   when it is read. false, the default for bytes, Blobs and paths: every chunk's header is read before the first use
 *   of the merged message, and its own size counts; except for chunks whose size in the index exactly fits an
 *   uncompressed chunk that ends where the next begins
 * @property {boolean} [wholeIndex] false: of an index in pages, only the needed ones are read: a few for a field, all
 *   for everything else; see `readIndex`. true, the default for bytes, Blobs and paths: all are read at once
 * @property {SourceOptions['references']} [references] which other files a .cpb file may open: 'folder', the default:
 *   those in its own folder; 'none'; or those that a function provides
 * @property {SourceOptions['http']} [http] as for urlSource
 * @property {SourceOptions['cache']} [cache]
 * @property {SourceOptions['retry']} [retry]
 * @property {Partial<Cost>} [budget]
 * @property {SourceOptions['memory']} [memory] the longest stream as an input, in bytes, which is held in memory;
 *   default 256 MiB
 */

/**
 * An opened message. All positions and sizes are in bytes. After `close` each
 * call rejects with CLOSED.
 * @typedef {object} MessageBase
 * @property {'cpb' | 'pb'} kind
 * @property {number} size of the file
 * @property {string | undefined} etag
 * @property {boolean} pinned whether a change of the file during reading would be noticed: its source is not `remote`,
 *   or has an ETag or a date. Otherwise a change shows in the size, and in the hashes of a .cpb's chunks if they are
 *   checked (`verify`); `http.requireValidator` rejects such a source
 * @property {string | undefined} type full name, given or recognized; recognizing needs the index
 * @property {Cost} transferred so far
 * @property {number} numChunks 0 for a .pb
 * @property {(i: number) => Chunk} chunk throws NOT_FOUND
 * @property {() => IterableIterator<Chunk>} chunks all of them
 * @property {{ splitter: number, join: number, badConsumers: number[] } | undefined} version
 *   of the index
 * @property {() => Promise<OtherFile[]>} files other files with chunks: `chunk.file` is the number of one, from 1 on
 * @property {() => Node} tree the place of each chunk in the message
 * @property {boolean} hasIndex whether the index is complete; always, unless it is in pages
 * @property {(options?: ReadOptions) => Promise<void>} readIndex reads the rest of an index in pages: before, `chunk`,
 *   `chunks` and `tree` throw USAGE. Everything that returns a promise or a stream calls it itself
 * @property {(path: string, options?: ReadOptions) => Promise<Field>} field a part of the
 *   (merged) message, such as 'meta_graphs[0].graph_def.node[3]'; '' is all of it.
 *   Rejects with NOT_FOUND
 * @property {(options?: ReadOptions) => Promise<number>} messageSize of the (merged) message
 * @property {(offset: number, length: number, options?: ReadOptions) => Promise<Uint8Array>} read bytes of the (merged)
 *   message, or the existing part of the range
 * @property {(options?: ReadOptions & { offset?: number, length?: number, verify?: Verify }) =>
 *   ReadableStream<Uint8Array>} merged
 *   the (merged) message or a range of it; by default a wrong hash is an error at the end at the
 *   latest
 * @property {(what: What, options?: ReadOptions) => Promise<Plan>} plan the cost of a read, for bytes that are not
 *   cached
 * @property {() => void} close frees everything; `using` calls it as well
 */
/** @typedef {{ chunks: number[] } | { field: string } | Range | { merged: true }} What chunks whose bytes are requested
 *   at once, a field's bytes, a range of the message, or merged() */
/**
 * An opened message, which `using` also closes.
 * @typedef {MessageBase & Disposable & AsyncDisposable} Message
 */

const ROOTS = ['SavedModel', 'GraphDef', 'MetaGraphDef', 'FunctionDef'];

/** The end of the file, which has the index, is fetched together with the size. */
const TAIL = 64 * 1024;

/** @typedef {typeof import('./message-content.js')} ContentModule */
/** @typedef {() => ContentModule | Promise<ContentModule>} Load */

/**
 * open(), see index.js. The message itself is not read at first; code for that is loaded on demand.
 *
 * @param {Load} load @param {Input} input @param {OpenOptions} [options] @returns {Promise<Message>}
 */
export async function openWith(load, input, options) {
  return (await openAs('reader', load, input, options)).message;
}

/**
 * The same with the internals, in an instance of the module that supports more.
 *
 * @param {Kind | ((source: Prepared) => Promise<Kind>)} which of the modules
 * @param {Load} load
 * @param {Input} input
 * @param {OpenOptions} [options]
 * @param {(source: Prepared) => OpenFile} [within] an existing instance
 */
export async function openAs(which, load, input, options = {}, within = undefined) {
  const { signal, limits } = options;
  signal?.throwIfAborted();
  const told = teller(options.onProgress, 'opening');
  if (limits) loadSoon(parts.reading);
  const source = prepare(input, options, openPath);
  const file = within?.(source) ?? (await openIn(which, source, limits));
  const isModel = which !== 'reader'; // a Riegeli file without an index is reported as one where its kind is determined
  const read = async () => {
    const { trustSizes = !source.local, wholeIndex = source.local } = options;
    const index = options.format === 'pb' ? undefined : await readIndex(file, options, wholeIndex, load, told, isModel);
    return messageOf(file, index, { ...options, trustSizes }, load, told);
  };
  try {
    return await read().catch((error) => {
      if (error?.code !== 'CHANGED' || !source.reset) throw error;
      source.reset();
      file.held = [];
      return read();
    });
  } catch (error) {
    const told = await named(error, file);
    file.close();
    throw told;
  }
}

/** Errors of data that may not be a message at all. */
const NO_MESSAGE = ['FORMAT', 'DAMAGED', 'TRUNCATED', 'UNSUPPORTED'];

/** The error that says what the file is, if it is something else. @param {any} error @param {OpenFile} file */
async function named(error, { source, size }) {
  // C itself reports an empty file, unless it is accepted as a message.
  if (size === 0 ? error?.code !== 'NOT_FOUND' : !NO_MESSAGE.includes(error?.code)) return error;
  try {
    return await (await parts.unusual()).named(error, source);
  } catch {
    return error;
  }
}

/**
 * @param {Parameters<typeof openAs>[0]} which
 * @param {Prepared} source is closed if that fails
 * @param {Limits} [limits]
 */
async function openIn(which, source, limits) {
  try {
    return await openFile(await moduleFor(typeof which === 'function' ? await which(source) : which), source, limits);
  } catch (error) {
    Promise.resolve(source.close?.()).catch(() => {});
    throw error;
  }
}

/**
 * The index of a file.
 * @typedef {object} Index
 * @property {Engine} engine
 * @property {boolean} whole whether it is complete, with all its pages
 */

/**
 * The index; undefined if the file is not a Riegeli file and may be a plain message.
 *
 * @param {OpenFile} file
 * @param {OpenOptions} options
 * @param {boolean} whole whether to wait for all its pages
 * @param {Load} load
 * @param {Told} [got]
 * @param {boolean} [isModel] a Riegeli file without an index is a plain message, as natively
 * @returns {Promise<Index | undefined>}
 */
async function readIndex(file, options, whole, load, got, isModel = false) {
  const { signal, format } = options;
  const name = file.source.name ?? '';
  if (!format && /\.pb$/i.test(name)) return undefined;
  const index = file.make('cpb_index', (scope) => file.instance.c.cpb_index_new(0, file.limitsIn(scope)));
  const pause = () => !whole && index.call('num_pages') > 0;
  try {
    const step = await file.drive(index, { signal, tail: TAIL, got, pause });
    keepTail(file, index);
    return { engine: index, whole: step !== NEED };
  } catch (error) {
    keepTail(file, index);
    index.free();
    const known = format || /\.cpb$/i.test(name) || !(error instanceof CpbError);
    if (known || !NO_MESSAGE.includes(error.code)) throw error;
    const isPlain = isModel && error.code === 'FORMAT';
    if (!isPlain && (await (await load()).isRiegeli(file, signal))) throw error;
    return undefined;
  }
}

/** Keeps the end of the file, which may have small chunks.
 * @param {OpenFile} file @param {Engine} index */
function keepTail(file, index) {
  const { feed } = index;
  file.size = feed?.size;
  const begin = Math.max(0, (file.size ?? 0) - TAIL);
  const bytes = feed?.at(begin);
  if (bytes && file.size) file.held = [{ offset: begin, bytes }];
}

/**
 * The state that the methods of a message share.
 * @typedef {object} State
 * @property {OpenFile} file
 * @property {Index | undefined} index
 * @property {OpenOptions & { trustSizes: boolean, keepDamaged?: boolean }} options
 * @property {import('./schema.js').Schema} schema made when it is needed
 * @property {number} type or 0: the one of `types` that fits, once the index is complete
 * @property {number[]} types the candidates for its type
 * @property {() => Engine | undefined} table the complete index; undefined for a plain message
 */

/** @param {State} state */
const lacksPages = ({ index }) => index && !index.whole;

/** @param {OpenFile} file @param {Index | undefined} index @param {State['options']} options */
function stateOf(file, index, options) {
  const { type: name, schema: set } = options;
  /** @type {State['schema'] | undefined} */
  let schema;
  /** @type {number[] | undefined} */
  let types;
  /** @type {number | undefined} */
  let type;

  const find = (/** @type {string} */ root) => state.schema.find(`tensorflow.${root}`);
  function guess() {
    const tree = name === undefined && state.index && treeOf(file, state.index.engine, state.schema, 0);
    return state.types.find((one) => !tree || fits(state.schema, one, tree)) ?? 0;
  }

  /** @type {State} */
  const state = {
    file,
    index,
    options,
    get schema() {
      return (schema ??= openSchema(file, set));
    },
    get types() {
      return (types ??= name === undefined ? ROOTS.map(find).filter(Boolean) : [typeNamed(state.schema, name)]);
    },
    get type() {
      if (type === undefined && name === undefined && lacksPages(state)) return 0;
      return (type ??= guess());
    },
    table() {
      file.check();
      if (lacksPages(state)) throw new CpbError('USAGE', 'call readIndex()');
      return state.index?.engine;
    },
  };
  // Given types may be invalid, so they are checked at once; built-in types are made on demand.
  if (set || name !== undefined) state.types;
  return state;
}

/**
 * @param {OpenFile} file
 * @param {Index | undefined} index
 * @param {State['options']} options
 * @param {Load} load
 * @param {Told} [told] of opening
 */
async function messageOf(file, index, options, load, told) {
  const { source } = file;
  const { size, etag } = await source.stat({ signal: options.signal });
  file.size = size;
  const state = stateOf(file, index, options);
  const content = contentLater(load, state);
  const numChunks = index ? index.engine.call('num_chunks') : 0;
  /** @param {number} i */
  const chunk = (i) => {
    const engine = state.table();
    if (!engine) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
    return chunkOf(file, engine, i, load, options.verify);
  };

  /** @type {MessageBase} */
  const message = {
    kind: index ? 'cpb' : 'pb',
    size,
    etag,
    pinned: source.near || etag !== undefined,
    get type() {
      return state.schema.nameOf(state.type);
    },
    get transferred() {
      return /** @type {Cost} */ (source.transferred);
    },
    numChunks,
    chunk,
    *chunks() {
      for (let i = 0; i < numChunks; i++) yield chunk(i);
    },
    version: index && versionOf(file, index.engine),
    get hasIndex() {
      return !lacksPages(state);
    },
    readIndex: async (o) => (await content()).readIndex(o),
    files: async () => (await content()).files(),
    tree: () => treeOf(file, state.table(), state.schema, state.type),
    field: (path, o) => fieldAt(state, content, path, o),
    messageSize: async (o) => (await content()).size(o),
    read: async (offset, length, o) => (await content()).read(offset, length, o),
    merged({ offset = 0, length = Infinity, signal, ...how } = {}) {
      file.check();
      checkRange(offset, length);
      return streamOf(
        async function* pieces(inner) {
          yield* (await content()).pieces(offset, length, { ...how, signal: inner });
        },
        signal,
        index ? 'own' : 'shared',
      );
    },
    plan: async (what, o) => (await content()).plan(what, o),
    close: file.close,
  };
  return { file, content, message: disposable(message), told };
}

/**
 * @param {State} state @param {ReturnType<typeof contentLater>} content @param {string} path
 * @param {ReadOptions} [options]
 */
async function fieldAt({ file, index }, content, path, options) {
  loadSoon(parts.fields, parts.reading);
  if (!index && !file.source.near) loadSoon(parts.guessing);
  try {
    return await (await content()).field(path, options);
  } catch (error) {
    throw index ? error : await named(error, file);
  }
}

/** The message's content, which is created on first use. @param {Load} load @param {State} state */
function contentLater(load, state) {
  /** @type {ReturnType<ContentModule['contentOf']> | undefined} */
  let content;
  return async () => {
    state.file.check();
    const { contentOf } = await load();
    return (content ??= contentOf(state));
  };
}

/** @param {OpenFile} file @param {Engine} index */
function versionOf({ instance }, index) {
  return instance.scope((scope) => {
    const out = scope.struct('index_version');
    index.call('get_version', out);
    const { splitter, join, bad_consumers: list, num_bad_consumers: count } = instance.get('index_version', out);
    return {
      splitter,
      join,
      badConsumers: Array.from({ length: count }, (_, i) => instance.u32(list + 4 * i) | 0),
    };
  });
}

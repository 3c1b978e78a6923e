/** open(): a message, chunked (.cpb) or plain (.pb), by range. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { teller } from '../progress.js';
import { abortable } from '../source/abort.js';
import { prepare } from '../source/index.js';
import { lazyStream } from '../source/lazy-source.js';
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
/** @import { Input, SourceOptions } from '../source/index.js' */
/** @import { OpenFile, Verify } from './open-file.js' */
/** @import { Plan } from './plan.js' */
/** @import { Node } from './tree.js' */

/**
 * How a message is opened; all of it may be left out.
 * @typedef {object} OpenOptions
 * @property {AbortSignal} [signal] for opening
 * @property {ReadOptions['onProgress']} [onProgress] of opening
 * @property {string} [type] full name of the message's type; by default the first of
 *   SavedModel, GraphDef, MetaGraphDef and FunctionDef (of TensorFlow) that the tree fits
 * @property {Uint8Array} [schema] a serialized FileDescriptorSet that has the type
 * @property {'cpb' | 'pb'} [format] by default what the file says
 * @property {Limits} [limits]
 * @property {Verify} [verify] when hashes are checked, for every read of this file; by
 *   default as each says
 * @property {boolean} [trustSizes] true: the index's sizes of the chunks count, and a
 *   chunk of another size is DAMAGED when it is read. false, which is the default for
 *   bytes, Blobs and paths: every chunk is looked at before the first use of the merged
 *   message, and its own size counts
 * @property {boolean} [wholeIndex] false: of an index in pages only those are read that something needs: a few
 *   for a field, all for everything else; see `readIndex`. true, which is the default for bytes, Blobs and
 *   paths: all are read at once
 * @property {SourceOptions['references']} [references] which other files are opened that a .cpb file names:
 *   'folder', those in its own folder, which is the default; 'none'; or what a function answers
 * @property {SourceOptions['http']} [http] as for urlSource
 * @property {SourceOptions['cache']} [cache]
 * @property {SourceOptions['retry']} [retry]
 * @property {Partial<Cost>} [budget]
 * @property {SourceOptions['memory']} [memory] the longest stream as an input, in bytes: it is
 *   held; default 256 MiB
 */

/**
 * An opened message. All positions and sizes are in bytes. After `close` each
 * call rejects with CLOSED.
 * @typedef {object} MessageBase
 * @property {'cpb' | 'pb'} kind
 * @property {number} size of the file
 * @property {string | undefined} etag
 * @property {string | undefined} type full name, given or guessed, which needs the index
 * @property {Cost} transferred so far
 * @property {number} numChunks 0 for a .pb
 * @property {(i: number) => Chunk} chunk throws NOT_FOUND
 * @property {() => IterableIterator<Chunk>} chunks all of them
 * @property {{ splitter: number, join: number, badConsumers: number[] } | undefined} version
 *   of the index
 * @property {() => Node} tree where each chunk belongs
 * @property {boolean} hasIndex whether all of the index is there; always, unless it is in pages
 * @property {(options?: ReadOptions) => Promise<void>} readIndex reads what is left of an index in pages: before,
 *   `chunk`, `chunks` and `tree` throw USAGE. All that returns a promise or a stream does it itself
 * @property {(path: string, options?: ReadOptions) => Promise<Field>} field a part of the
 *   (merged) message, such as 'meta_graphs[0].graph_def.node[3]'; '' is all of it.
 *   Rejects with NOT_FOUND
 * @property {(options?: ReadOptions) => Promise<number>} messageSize of the (merged) message
 * @property {(offset: number, length: number, options?: ReadOptions) => Promise<Uint8Array>} read
 *   bytes of the (merged) message, or what of the range is there
 * @property {(options?: ReadOptions & { offset?: number, length?: number, verify?: Verify }) =>
 *   ReadableStream<Uint8Array>} merged
 *   the (merged) message or a range of it; by default a wrong hash is an error at the end at the
 *   latest
 * @property {(what: What, options?: ReadOptions) => Promise<Plan>} plan what reading something
 *   will cost, of what is not cached
 * @property {() => void} close frees it all; also `using` does
 */
/** @typedef {{ chunks: number[] } | { field: string } | Range | { merged: true }} What
 *   chunks whose bytes are asked for at once, a field's bytes, a range of the
 *   message, or merged() */
/**
 * An opened message, which `using` closes, too.
 * @typedef {MessageBase & Disposable & AsyncDisposable} Message
 */

const ROOTS = ['SavedModel', 'GraphDef', 'MetaGraphDef', 'FunctionDef'];

/** With the size, the end of the file is fetched: the index is there. */
const TAIL = 64 * 1024;

/** @typedef {typeof import('./message-content.js')} ContentModule */
/** @typedef {() => ContentModule | Promise<ContentModule>} Load */

/**
 * open(), see index.js. The message itself is not looked into at first; what does that is
 * loaded when it is.
 *
 * @param {Load} load
 * @param {Input} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export async function openWith(load, input, options) {
  return (await openAs('reader', load, input, options)).message;
}

/**
 * The same with what is behind it, in an instance of the module that does more.
 *
 * @param {import('../init.js').Kind} kind
 * @param {Load} load
 * @param {Input} input
 * @param {OpenOptions} [options]
 * @param {(source: import('../source/index.js').Prepared) => OpenFile} [within] an instance that is there
 */
export async function openAs(kind, load, input, options = {}, within = undefined) {
  const { signal, limits } = options;
  signal?.throwIfAborted();
  const told = teller(options.onProgress, 'opening');
  const source = prepare(input, options, openPath);
  const file = within?.(source) ?? (await openFile(await moduleFor(kind), source, limits));
  const read = async () => {
    const { trustSizes = !source.local, wholeIndex = source.local } = options;
    const index = options.format === 'pb' ? undefined : await readIndex(file, options, wholeIndex, told);
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
    file.close();
    throw error;
  }
}

/**
 * The index of a file.
 * @typedef {object} Index
 * @property {Engine} engine
 * @property {boolean} whole whether it is there, and no page of it is missing
 */

/**
 * The index; undefined when the file is no Riegeli file and may be a plain message.
 *
 * @param {OpenFile} file
 * @param {OpenOptions} options
 * @param {boolean} whole whether pages of it are waited for
 * @param {Told} [got]
 * @returns {Promise<Index | undefined>}
 */
async function readIndex(file, options, whole, got) {
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
    if (known || !NOT_RIEGELI.includes(error.code) || (await isRiegeli(file, signal))) throw error;
    return undefined;
  }
}

/** Errors that the end of a file which is not Riegeli may cause. */
const NOT_RIEGELI = ['FORMAT', 'DAMAGED', 'TRUNCATED', 'UNSUPPORTED'];

/** The file's first block header: its hash, and the chunk that it begins. */
const SIGNATURE = [0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 64];

/** @param {OpenFile} file @param {AbortSignal} [signal] */
async function isRiegeli({ source, held: [tail] }, signal) {
  const whole = tail?.offset === 0;
  const head = whole ? tail.bytes : await source.read(0, SIGNATURE.length, { signal });
  return SIGNATURE.every((byte, i) => byte === head[i]);
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
 * What the methods of a message share.
 * @typedef {object} State
 * @property {OpenFile} file
 * @property {Index | undefined} index
 * @property {OpenOptions & { trustSizes: boolean }} options
 * @property {import('./schema.js').Schema} schema
 * @property {number} type or 0
 * @property {Promise<void>} [reading] of what is left of the index
 * @property {ReturnType<ContentModule['contentOf']>} [content]
 * @property {ReturnType<ContentModule['pagedFields']>} [paged]
 */

/**
 * @param {OpenFile} file
 * @param {Index | undefined} index
 * @param {OpenOptions & { trustSizes: boolean }} options
 * @param {Load} load
 * @param {Told} [told] of opening
 */
async function messageOf(file, index, options, load, told) {
  const { source } = file;
  const { size, etag } = await source.stat({ signal: options.signal });
  file.size = size;
  const schema = openSchema(file, options.schema);
  /** @type {State} */
  const state = { file, index, options, schema, type: 0 };
  if (options.type !== undefined) state.type = typeNamed(schema, options.type);
  else if (!index || index.whole) state.type = guessOf(state);
  const content = contentLater(load, state);

  /** @type {MessageBase} */
  const message = {
    kind: index ? 'cpb' : 'pb',
    size,
    etag,
    get type() {
      return schema.nameOf(state.type);
    },
    get transferred() {
      return /** @type {Cost} */ (source.transferred);
    },
    ...chunksOf(state),
    get hasIndex() {
      return !state.index || state.index.whole;
    },
    version: index && versionOf(file, index.engine),
    readIndex: (o) => wholeIndex(state, o),
    field: async (path, o) => fieldOf(state, load, path, o),
    messageSize: async (o) => (await content(o)).size(o),
    async read(offset, length, o) {
      checkRange(offset, length);
      return (await content(o)).read(offset, length, o);
    },
    merged({ offset = 0, length = Infinity, verify: how, onProgress, signal: outer } = {}) {
      file.check();
      checkRange(offset, length);
      return lazyStream(
        async (signal) => (await content({ signal })).stream(offset, length, { verify: how, onProgress, signal }),
        outer,
        index ? 'own' : 'shared',
      );
    },
    plan: async (what, o) => (await content(o)).plan(what, o),
    close: file.close,
  };
  return { file, content, message: disposable(message), told };
}

/** @param {State} state */
function chunksOf(state) {
  const { file, options, schema } = state;
  const numChunks = state.index ? state.index.engine.call('num_chunks') : 0;
  function there() {
    file.check();
    if (!state.index || state.index.whole) return state.index?.engine;
    throw new CpbError('USAGE', 'the index is in pages that were not read yet: await readIndex() first');
  }
  /** @param {number} i */
  const chunk = (i) => {
    const index = there();
    if (!index) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
    return chunkOf(file, index, i, options.verify);
  };
  return {
    numChunks,
    chunk,
    *chunks() {
      for (let i = 0; i < numChunks; i++) yield chunk(i);
    },
    tree: () => treeOf(file, there(), schema, state.type),
  };
}

/**
 * Reads what is left of the index. An abort ends the waiting, not the reading, for which others may wait.
 *
 * @param {State} state
 * @param {ReadOptions} [options]
 */
async function wholeIndex(state, { signal, onProgress } = {}) {
  const { file, index } = state;
  file.check();
  if (!index || index.whole) return;
  const read = async () => {
    await file.drive(index.engine, { got: teller(onProgress, 'index') });
    takeIndex(state, index.engine);
  };
  state.reading ??= read().finally(() => (state.reading = undefined));
  state.reading.catch(() => {});
  await abortable(state.reading, signal);
}

/**
 * What is now read as a whole.
 *
 * @param {State} state
 * @param {Engine} engine
 * @returns {undefined}
 */
function takeIndex(state, engine) {
  const { index, options } = state;
  if (index?.whole) return void (index.engine !== engine && engine.free());
  // One that is being read is freed with the file.
  if (index?.engine !== engine && !state.reading) index?.engine.free();
  state.index = { engine, whole: true };
  if (options.type === undefined) state.type = guessOf(state);
}

/**
 * The message's content, which is made when it is first needed.
 *
 * @param {Load} load
 * @param {State} state
 */
const contentLater = (load, state) => async (/** @type {ReadOptions} */ options = {}) => {
  await wholeIndex(state, options);
  const { contentOf } = await load();
  const { file, index, type, schema } = state;
  return (state.content ??= contentOf(file, index?.engine, { ...howOf(state), schema, type }));
};

/** @param {State} state */
const howOf = ({ options }) => ({ ...options, guessed: options.type === undefined });

/**
 * @param {State} state
 * @param {Load} load
 * @param {string} path
 * @param {ReadOptions} [options]
 */
async function fieldOf(state, load, path, options) {
  const { file, index, type, schema } = state;
  file.check();
  if (index && !index.whole && !state.reading) {
    const { pagedFields } = await load();
    const types = state.options.type === undefined ? rootsOf(schema) : [type];
    const take = (/** @type {Engine} */ all) => takeIndex(state, all);
    state.paged ??= pagedFields(file, { ...howOf(state), schema, types, take });
    const found = await state.paged(path, options);
    if (found) return found;
  }
  return (await contentLater(load, state)(options)).field(path, options);
}

/** @param {import('./schema.js').Schema} schema */
const rootsOf = (schema) => ROOTS.map((name) => schema.find(`tensorflow.${name}`)).filter(Boolean);

/** @param {State} state */
function guessOf({ file, index, schema }) {
  const tree = index && treeOf(file, index.engine, schema, 0);
  return rootsOf(schema).find((type) => !tree || fits(schema, type, tree)) ?? 0;
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

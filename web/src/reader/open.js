/** open(): a message, chunked (.cpb) or plain (.pb), by range. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { teller } from '../progress.js';
import { prepare } from '../source/index.js';
import { lazyStream } from '../source/lazy-source.js';
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
 * @property {string | undefined} type full name, given or guessed
 * @property {Cost} transferred so far
 * @property {number} numChunks 0 for a .pb
 * @property {(i: number) => Chunk} chunk throws NOT_FOUND
 * @property {() => IterableIterator<Chunk>} chunks all of them
 * @property {{ splitter: number, join: number, badConsumers: number[] } | undefined} version
 *   of the index
 * @property {() => Node} tree where each chunk belongs
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
    const index = options.format === 'pb' ? undefined : await readIndex(file, options, told);
    const { trustSizes = !source.local } = options;
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
 * The index; undefined when the file is no Riegeli file and may be a plain message.
 *
 * @param {OpenFile} file
 * @param {OpenOptions} options
 * @param {Told} [got]
 */
async function readIndex(file, options, got) {
  const { signal, format } = options;
  const name = file.source.name ?? '';
  if (!format && /\.pb$/i.test(name)) return undefined;
  const index = file.make('cpb_index', (scope) => file.instance.c.cpb_index_new(0, file.limitsIn(scope)));
  try {
    await file.drive(index, { signal, tail: TAIL, got });
    keepTail(file, index);
    return index;
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
 * @param {OpenFile} file
 * @param {Engine | undefined} index
 * @param {OpenOptions & { trustSizes: boolean }} options
 * @param {Load} load
 * @param {Told} [told] of opening
 */
async function messageOf(file, index, options, load, told) {
  const { source } = file;
  const { signal, verify } = options;
  const { size, etag } = await source.stat({ signal });
  file.size = size;
  const schema = openSchema(file, options.schema);
  const tree = index && treeOf(file, index, schema, 0);
  const type = options.type !== undefined ? typeNamed(schema, options.type) : guess(schema, tree);
  const numChunks = index ? index.call('num_chunks') : 0;

  const guessed = options.type === undefined;
  const content = contentLater(load, [file, index, { ...options, schema, type, guessed }]);

  /** @param {number} i */
  const chunk = (i) => {
    if (!index) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
    return chunkOf(file, index, i, verify);
  };

  /** @type {MessageBase} */
  const message = {
    kind: index ? 'cpb' : 'pb',
    size,
    etag,
    type: schema.nameOf(type),
    get transferred() {
      return /** @type {Cost} */ (source.transferred);
    },
    numChunks,
    chunk,
    *chunks() {
      for (let i = 0; i < numChunks; i++) yield chunk(i);
    },
    version: index && versionOf(file, index),
    tree() {
      file.check();
      return treeOf(file, index, schema, type);
    },
    field: async (path, o) => (await content()).field(path, o),
    messageSize: async (o) => (await content()).size(o),
    async read(offset, length, o) {
      checkRange(offset, length);
      return (await content()).read(offset, length, o);
    },
    merged({ offset = 0, length = Infinity, verify: how, onProgress, signal: outer } = {}) {
      file.check();
      checkRange(offset, length);
      return lazyStream(
        async (inner) => (await content()).stream(offset, length, { verify: how, onProgress, signal: inner }),
        outer,
        index ? 'own' : 'shared',
      );
    },
    plan: async (what, o) => (await content()).plan(what, o),
    close: file.close,
  };
  return { file, content, message: disposable(message), told };
}

/**
 * The message's content, which is made when it is first needed.
 *
 * @param {Load} load
 * @param {Parameters<ContentModule['contentOf']>} args
 */
function contentLater(load, args) {
  /** @type {ReturnType<ContentModule['contentOf']> | undefined} */
  let content;
  return async () => {
    args[0].check();
    const { contentOf } = await load();
    return (content ??= contentOf(...args));
  };
}

/** @param {import('./schema.js').Schema} schema @param {Node | undefined} tree */
function guess(schema, tree) {
  const types = ROOTS.map((name) => schema.find(`tensorflow.${name}`));
  return types.find((type) => type && (!tree || fits(schema, type, tree))) ?? 0;
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

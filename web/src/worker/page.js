/** openInWorker() and inspectInWorker(): the page's side. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../modules.js';
import { moduleNamed } from '../inspect/address.js';
import { types } from '../reader/chunks.js';
import { disposable } from '../reader/open-file.js';
import { sourceOf } from '../source/index.js';
import { resolveReference } from '../source/references.js';
import { connectWorker } from './connected-worker.js';
import { proxy } from './proxy.js';

/** @import { ModelKind } from '../inspect/asked.js' */
/** @import { InspectOptions, Model } from '../inspect/inspect.js' */
/** @import { Chunk } from '../reader/chunks.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { WorkerLike } from './connected-worker.js' */
/** @import { References } from '../source/references.js' */
/** @import { Source } from '../types.js' */
/** @import { Connection } from './connection.js' */
/** @import { Owner } from './proxy.js' */

/**
 * A model opened in a Worker: without `message`, `cut`, whose files inspect() makes, and `add`.
 * @template {ModelKind} [Kind=ModelKind]
 * @typedef {Omit<Model<Kind>, 'message' | 'cut' | 'add'>} ModelInWorker
 */

/** Ends a worker when none of its objects are referenced any more. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ end) => end());

/**
 * A worker that has opened a file or model.
 * @typedef {object} Opened
 * @property {Owner} owner
 * @property {any} answer of the worker's method
 * @property {Set<Source>} sources that are read here: of the file, unless the worker reads it, and of other files
 * @property {() => void} end
 */

/**
 * @param {() => WorkerLike} start
 * @param {'open' | 'inspect'} method see serve.js
 * @param {import('../modules.js').Kind[]} kinds of the modules that it needs
 * @param {any} input
 * @param {any} options
 * @returns {Promise<Opened>}
 */
async function startFor(start, method, kinds, input, options) {
  options.signal?.throwIfAborted();
  const own = readHere(input) ? await sourceHere(input, options) : undefined;
  const modules = await Promise.all(kinds.map(async (kind) => [kind, await moduleFor(kind)]));
  /** @type {Set<Source>} */
  const sources = new Set(own && [own]);
  const { connection, end } = connectWorker(start(), () => sources.forEach(closeSource));
  /** @type {Owner} */
  const owner = { connection };
  forgotten.register(owner, end);
  try {
    const source = own && connection.describe(own, SOURCE);
    const { signal, onProgress, ...rest } = options;
    Object.assign(rest, referencesFor(connection, sources, own, options));
    // For the worker it is a user's source.
    if (own && own !== input && !own.remote) {
      rest.trustSizes ??= false;
      rest.wholeIndex ??= true;
    }
    const { data } = Object(rest.checkpoint);
    if (data) rest.checkpoint = { ...rest.checkpoint, data: connection.describe({ data }) };
    const modulesOf = Object.fromEntries(modules);
    const more = connection.describe({ moduleFor });
    const posted = { modules: modulesOf, more, source, input: source ? undefined : addressOf(input), options: rest };
    return { owner, answer: await connection.call(owner, [1], method, [posted, { signal, onProgress }]), sources, end };
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Other files that are also read here: those from a function of the caller's, and those next to a source that is read
 * here. The worker gets each in the same form as the file itself.
 *
 * @param {Connection} connection
 * @param {Set<Source>} sources the sources read on the page
 * @param {Source | undefined} own
 * @param {OpenOptions} options
 * @returns {{ references?: any }}
 */
function referencesFor(connection, sources, own, options) {
  /** @type {References} */
  const references = options.references ?? 'folder';
  if (typeof references !== 'function' && !(own && references === 'folder')) return {};
  /** @type {Source} */
  const from = own ?? { name: 'the file', read: async () => new Uint8Array(), stat: async () => ({ size: 0 }) };
  const resolve = async (/** @type {string} */ name, /** @type {{ size: number }} */ about) => {
    const input = await resolveReference(from, references, name, about);
    if (!readHere(input)) return { input: addressOf(input) };
    const source = await sourceHere(input, options);
    sources.add(source);
    /** @type {any} */
    const shown = { close: () => closeSource(source) }; // called by the worker when others need its place
    for (const name of SOURCE) {
      const member = /** @type {any} */ (source)[name];
      shown[name] = typeof member === 'function' ? member.bind(source) : member;
    }
    return { source: connection.describe(shown) };
  };
  return { references: connection.describe({ resolve }) };
}

/** @param {() => WorkerLike} start @param {any} input @param {OpenOptions} [options] @returns {Promise<Message>} */
export async function openIn(start, input, options = {}) {
  const opened = await startFor(start, 'open', ['reader'], input, options);
  return messageOf(opened, input);
}

/**
 * @template {ModelKind} [Kind=ModelKind] @param {() => WorkerLike} start @param {any} input
 * @param {InspectOptions<Kind>} [options] @returns {Promise<ModelInWorker<Kind>>}
 */
export async function inspectIn(start, input, options = {}) {
  const name = input?.name ?? String(input).replace(/[?#].*/s, '');
  const opened = await startFor(start, 'inspect', [moduleNamed(options.kind, name) ?? 'inspect'], input, options);
  const { object, methods, data } = opened.answer;
  const model = { ...proxy(opened.owner, [object], methods, data), close: opened.end };
  return withCost(model, opened, input);
}

/**
 * @param {any} it the opened object
 * @param {Opened} opened
 * @param {any} input
 */
const withCost = (it, { owner: { connection }, sources }, input) =>
  disposable(
    Object.defineProperty(it, 'transferred', {
      get: () => (input.transferred ? sumOf([input, ...sources]) : connection.cost),
      enumerable: true,
    }),
  );

/** The total transfer of sources, some of which may share a count. @param {Source[]} sources */
function sumOf(sources) {
  const sum = { requests: 0, bytes: 0 };
  for (const cost of new Set(sources.map(({ transferred }) => transferred))) {
    sum.requests += cost?.requests ?? 0;
    sum.bytes += cost?.bytes ?? 0;
  }
  return sum;
}

/** The members of a source that the worker uses; only the page closes it. */
const SOURCE = ['name', 'remote', 'read', 'stat', 'tail', 'stream', 'reset'];

/** @type {WeakSet<Source>} */
const closed = new WeakSet();

/** Closes a caller's source together with the file. @param {Source} source */
async function closeSource(source) {
  if (closed.has(source)) return;
  closed.add(source);
  await Promise.resolve(source.close?.()).catch(() => {});
}

/**
 * Whether the page reads it on the worker's behalf: everything but URLs, paths and Blobs, which the worker reads. This
 * way only the requested part of an array of bytes is copied. In Node, a blob: URL and a Blob of a file are usable only
 * in their own thread.
 *
 * @param {any} input
 */
const readHere = (input) =>
  typeof input === 'string' || input instanceof URL
    ? /^blob:/i.test(String(input))
    : !(typeof Blob !== 'undefined' && input instanceof Blob && isCloneable(input));

/** @param {Blob} blob */
function isCloneable(blob) {
  try {
    return Boolean(structuredClone(blob));
  } catch {
    return false;
  }
}

/** With all its methods. @param {any} input @param {OpenOptions} options @returns {Promise<Source>} */
async function sourceHere(input, options) {
  const source = sourceOf(input, options, openPath);
  return (await source.whole?.()) ?? source;
}

/** A URL in a form that the worker can resolve as well. @param {any} input */
function addressOf(input) {
  if (input instanceof URL) return input.href;
  const { document, location } = /** @type {any} */ (globalThis);
  const base = document?.baseURI ?? location?.href;
  return typeof input === 'string' && base && !openPath ? new URL(input, base).href : input;
}

const CHUNK = ['bytes', 'stream', 'read', 'stored'];

/** @param {Opened} opened @param {any} input @returns {Message} */
function messageOf(opened, input) {
  const { owner, answer, end } = opened;
  const { object: id, methods, data } = answer;
  const { connection } = owner;
  /** The worker's description of its index, once it has one. @type {import('./serve.js').Told | undefined} */
  let known = answer.known;

  function there() {
    if (connection.ended) throw connection.ended;
    if (known) return known;
    throw new CpbError('USAGE', 'the index is not read: call readIndex()');
  }

  /** @param {number} i @returns {Chunk} */
  function chunk(i) {
    const { table } = there();
    if (!(Number.isInteger(i) && i >= 0 && i < data.numChunks))
      throw new CpbError('NOT_FOUND', `there is no chunk ${i}`);
    const [type = 0, size, position, file] = table.subarray(4 * i, 4 * i + 4);
    const it = proxy(owner, [id, 'chunk', i], CHUNK, {
      index: i,
      type: types[type],
      size,
      position,
      file,
    });
    it.blob = async (/** @type {any} */ options) => new Response(it.stream(options)).blob();
    return it;
  }

  const { readIndex, ...others } = proxy(owner, [id], methods, data);
  const message = {
    ...others,
    get type() {
      return known ? known.type : data.type;
    },
    get hasIndex() {
      return known !== undefined;
    },
    chunk,
    *chunks() {
      for (let i = 0; i < data.numChunks; i++) yield chunk(i);
    },
    tree: () => there().tree,
    async readIndex(/** @type {any} */ options) {
      known ??= await readIndex({ ...options });
    },
    close: end,
  };
  return withCost(message, opened, input);
}

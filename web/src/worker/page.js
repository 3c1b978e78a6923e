/** openInWorker() and inspectInWorker(): the page's side. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { disposable } from '../reader/open-file.js';
import { sourceOf } from '../source/index.js';
import { connectWorker } from './connected-worker.js';
import { proxy } from './proxy.js';

/** @import { ModelKind } from '../inspect/answers/index.js' */
/** @import { InspectOptions, Model } from '../inspect/inspect.js' */
/** @import { Chunk } from '../reader/chunks.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { WorkerLike } from './connected-worker.js' */
/** @import { Source } from '../types.js' */
/** @import { Owner } from './proxy.js' */

/**
 * A model that a Worker has opened: without `message`, `cut`, whose files inspect() makes, and `add`.
 * @template {ModelKind} [Kind=ModelKind]
 * @typedef {Omit<Model<Kind>, 'message' | 'cut' | 'add'>} ModelInWorker
 */

/** A worker is ended when nothing that came from it is referred to any more. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ end) => end());

/**
 * A worker that has opened something.
 * @typedef {object} Opened
 * @property {Owner} owner
 * @property {any} answer of the worker's method
 * @property {() => void} end
 */

/**
 * @param {() => WorkerLike} start
 * @param {'open' | 'inspect'} method see serve.js
 * @param {import('../init.js').Kind[]} kinds of modules that it needs
 * @param {any} input
 * @param {any} options
 * @returns {Promise<Opened>}
 */
async function startFor(start, method, kinds, input, options) {
  options.signal?.throwIfAborted();
  const own = readHere(input) ? sourceOf(input, options, openPath) : undefined;
  const modules = await Promise.all(kinds.map(async (kind) => [kind, await moduleFor(kind)]));
  const { connection, end } = connectWorker(start(), () => closeSource(own));
  /** @type {Owner} */
  const owner = { connection };
  forgotten.register(owner, end);
  try {
    const source = own && connection.describe(own, SOURCE);
    const { signal, onProgress, ...rest } = options;
    // For the worker it is a source of somebody's.
    if (own && own !== input && !own.remote) rest.trustSizes ??= false;
    const { data } = Object(rest.checkpoint);
    if (data) rest.checkpoint = { ...rest.checkpoint, data: connection.describe({ data }) };
    const modulesOf = Object.fromEntries(modules);
    const posted = { modules: modulesOf, source, input: source ? undefined : addressOf(input), options: rest };
    return { owner, answer: await connection.call(owner, [1], method, [posted, { signal, onProgress }]), end };
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * @param {() => WorkerLike} start
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export async function openIn(start, input, options = {}) {
  const { owner, answer, end } = await startFor(start, 'open', ['reader'], input, options);
  return messageOf(owner, answer, input, end);
}

/**
 * @template {ModelKind} [Kind=ModelKind]
 * @param {() => WorkerLike} start
 * @param {any} input
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<ModelInWorker<Kind>>}
 */
export async function inspectIn(start, input, options = {}) {
  const { owner, answer, end } = await startFor(start, 'inspect', ['inspect'], input, options);
  const { object, methods, data } = answer;
  const model = { ...proxy(owner, [object], methods, data), close: end };
  return withCost(model, owner, input);
}

/** @param {any} opened @param {Owner} owner @param {any} input */
const withCost = (opened, { connection }, input) =>
  disposable(
    Object.defineProperty(opened, 'transferred', {
      get: () => input.transferred ?? connection.cost,
      enumerable: true,
    }),
  );

/** What the worker sees of a source; only the page closes it. */
const SOURCE = ['name', 'remote', 'read', 'stat', 'tail', 'stream', 'reset'];

/** A source of the caller's is closed with the file. @param {Source | undefined} source */
async function closeSource(source) {
  await Promise.resolve(source?.close?.()).catch(() => {});
}

/**
 * Whether it is read on the page, when the worker asks: all but URLs, paths and Blobs, which
 * the worker reads. Of bytes then only what is asked for is copied.
 *
 * @param {any} input
 */
const readHere = (input) =>
  typeof input !== 'string' && !(input instanceof URL) && !(typeof Blob !== 'undefined' && input instanceof Blob);

/** A URL as the worker can find it, too. @param {any} input */
function addressOf(input) {
  if (input instanceof URL) return input.href;
  const { document, location } = /** @type {any} */ (globalThis);
  const base = document?.baseURI ?? location?.href;
  return typeof input === 'string' && base && !openPath ? new URL(input, base).href : input;
}

const CHUNK = ['bytes', 'stream', 'read', 'stored'];
const types = /** @type {const} */ (['UNSET', 'MESSAGE', 'BYTES']);

/**
 * @param {Owner} owner
 * @param {any} opened see serve.js
 * @param {any} input
 * @param {() => void} end
 * @returns {Message}
 */
function messageOf(owner, { object: id, methods, data, tree, table }, input, end) {
  const { connection } = owner;

  /** @param {number} i @returns {Chunk} */
  function chunk(i) {
    if (connection.ended) throw connection.ended;
    if (!(Number.isInteger(i) && i >= 0 && i < data.numChunks))
      throw new CpbError('NOT_FOUND', `there is no chunk ${i}`);
    const [type, size, position] = table.subarray(3 * i, 3 * i + 3);
    const it = proxy(owner, [id, 'chunk', i], CHUNK, {
      index: i,
      type: types[type],
      size,
      position,
    });
    it.blob = async (/** @type {any} */ options) => new Response(it.stream(options)).blob();
    return it;
  }

  const message = {
    ...proxy(owner, [id], methods, data),
    chunk,
    *chunks() {
      for (let i = 0; i < data.numChunks; i++) yield chunk(i);
    },
    tree() {
      if (connection.ended) throw connection.ended;
      return tree;
    },
    close: end,
  };
  return withCost(message, owner, input);
}

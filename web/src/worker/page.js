/** openInWorker(): the page's side. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { disposable } from '../reader/open-file.js';
import { sourceOf } from '../source/index.js';
import { connectWorker } from './connected-worker.js';
import { proxy } from './proxy.js';

/** @import { Chunk } from '../reader/chunks.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { WorkerLike } from './connected-worker.js' */
/** @import { Source } from '../types.js' */
/** @import { Owner } from './proxy.js' */

/** A worker is ended when nothing that came from it is referred to any more. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ end) => end());

/**
 * @param {() => WorkerLike} start
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export async function openIn(start, input, options = {}) {
  options.signal?.throwIfAborted();
  const own = readHere(input) ? sourceOf(input, options, openPath) : undefined;
  const module = await moduleFor();
  const { connection, end } = connectWorker(start(), () => closeSource(own));
  /** @type {Owner} */
  const owner = { connection };
  forgotten.register(owner, end);
  try {
    const source = own && connection.describe(own, SOURCE);
    const { signal, ...rest } = options;
    // For the worker it is a source of somebody's.
    if (own && own !== input && !own.remote) rest.trustSizes ??= false;
    const posted = { module, source, input: source ? undefined : addressOf(input), options: rest };
    const opened = await connection.call(owner, [1], 'open', [posted, { signal }]);
    return messageOf(owner, opened, input, end);
  } catch (error) {
    end();
    throw error;
  }
}

/** What the worker sees of a source; only the page closes it. */
const SOURCE = ['name', 'remote', 'read', 'stat', 'tail', 'readMany', 'stream', 'reset'];

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
  const transferred = { get: () => input.transferred ?? connection.cost, enumerable: true };
  return disposable(Object.defineProperty(message, 'transferred', transferred));
}

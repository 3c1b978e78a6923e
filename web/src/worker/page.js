/** openInWorker(): the page's side. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { disposable } from '../reader/file.js';
import { bytesSource } from '../source/bytes.js';
import { connect, describe, proxy } from './calls.js';

/** @import { Chunk } from '../reader/chunks.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { Source } from '../types.js' */
/** @import { Connection, Owner } from './calls.js' */

/**
 * A Worker of the web; one of Node is made to look like it.
 * @typedef {object} WorkerLike
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} [onmessage]
 * @property {((event: any) => void) | null} [onerror]
 * @property {((event: any) => void) | null} [onmessageerror]
 * @property {() => void} terminate
 * @property {() => void} [ref]
 * @property {() => void} [unref]
 */

/** A worker is ended when all that was got from it is forgotten. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ end) => end());

/**
 * @param {() => WorkerLike} start
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export async function openIn(start, input, options = {}) {
  options.signal?.throwIfAborted();
  const module = await moduleFor();
  const source = sourceOf(input);
  const { connection, end } = employ(start(), () => source && input.close?.());
  /** @type {Owner} */
  const owner = { connection };
  forgotten.register(owner, end);
  try {
    const posted = source
      ? { source: describe(source, connection.expose(source)) }
      : { input: addressOf(input) };
    const { signal, ...rest } = options;
    const opened = await connection.call(owner, [1], 'open', [
      { ...posted, module, options: rest },
      { signal },
    ]);
    return messageOf(owner, opened, input, end);
  } catch (error) {
    end();
    throw error;
  }
}

/**
 * Knows no owner, which would never be forgotten then.
 *
 * @param {WorkerLike} worker
 * @param {() => unknown} close
 */
function employ(worker, close) {
  const connection = connect(worker, {
    busy: (busy) => (busy ? worker.ref : worker.unref)?.call(worker),
  });
  const end = (error = new CpbError('CLOSED', 'the file was closed')) => {
    if (connection.ended) return;
    connection.end(error);
    worker.terminate();
    Promise.resolve(close()).catch(() => {});
  };
  worker.onerror = worker.onmessageerror = (event) => {
    event?.preventDefault?.();
    end(new CpbError('TRAPPED', `the worker failed: ${event?.message ?? 'unknown why'}`));
  };
  return { connection, end: () => end() };
}

const METHODS = /** @type {const} */ (['read', 'stat', 'tail', 'readMany', 'stream', 'reset']);

/**
 * What is read on the page, when the worker asks: a source of the caller's, or
 * bytes, of which then only what is asked for is copied.
 *
 * @param {any} input
 * @returns {Partial<Source> | undefined} its `close` is called on the page alone
 */
function sourceOf(input) {
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) input = bytesSource(input);
  if (typeof input?.read !== 'function') return undefined;
  const { name, remote } = input;
  const methods = METHODS.filter((method) => input[method]);
  return {
    name,
    remote,
    ...Object.fromEntries(methods.map((method) => [method, input[method].bind(input)])),
  };
}

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
function messageOf(owner, { id, methods, data, tree, table }, input, end) {
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

/** openInWorker(): the page's side. */
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../init.js';
import { disposable } from '../reader/file.js';
import { bytesSource } from '../source/bytes.js';
import { connect, proxy } from './calls.js';

/** @import { Chunk } from '../reader/chunks.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { Connection, Description, Owner } from './calls.js' */

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
  const { connection, end } = employ(start(), input);
  /** @type {Owner} */
  const owner = { connection };
  forgotten.register(owner, end);
  try {
    const source = sourceOf(input, connection);
    const { signal, ...rest } = options;
    const posted = { module, source, input: source ? undefined : addressOf(input), options: rest };
    const opened = await connection.call(owner, [1], 'open', [posted, { signal }]);
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
 * @param {any} input a source of the caller's is closed with the file
 */
function employ(worker, input) {
  const connection = connect(worker, {
    busy: (busy) => (busy ? worker.ref : worker.unref)?.call(worker),
  });
  const end = (error = new CpbError('CLOSED', 'the file was closed')) => {
    if (connection.ended) return;
    connection.end(error);
    worker.terminate();
    if (input?.read) Promise.resolve(input.close?.()).catch(() => {});
  };
  worker.onerror = worker.onmessageerror = (event) => {
    event?.preventDefault?.();
    end(new CpbError('TRAPPED', `the worker failed: ${event?.message ?? 'unknown why'}`));
  };
  return { connection, end: () => end() };
}

/** What the worker may ask of a source; only the page closes it. */
const METHODS = ['read', 'stat', 'tail', 'readMany', 'stream', 'reset'];

/**
 * What is read on the page, when the worker asks: a source of the caller's, or
 * bytes, of which then only what is asked for is copied.
 *
 * @param {any} input
 * @param {Connection} connection
 * @returns {Description | undefined}
 */
function sourceOf(input, connection) {
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) input = bytesSource(input);
  if (!input?.read) return undefined;
  const { name, remote } = input;
  return {
    object: connection.expose(input),
    data: { name, remote },
    methods: METHODS.filter((method) => input[method]),
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

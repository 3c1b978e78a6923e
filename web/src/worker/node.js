/** openInWorker() and inspectInWorker() in Node, Deno and Bun. */
import { workerUrl } from '../init.js';
import { threads } from '../source/node.js';
import { inspectIn, openIn } from './page.js';

/** @import { ModelKind } from '../inspect/asked.js' */
/** @import { InspectOptions } from '../inspect/inspect.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { WorkerLike } from './connected-worker.js' */
/** @import { ModelInWorker } from './page.js' */

/** A URL, or a path. @param {URL | string} host */
const fileOf = (host) => (/^[a-z]{2,}:/i.test(String(host)) ? new URL(host) : host);

/** @param {URL | string} [host] @returns {WorkerLike} */
export function start(host = workerUrl ?? new URL('./host-node.js', import.meta.url)) {
  // Options that the process was started with, such as --input-type, may not fit the file.
  const worker = new (threads().Worker)(fileOf(host), { execArgv: [] });
  /** @type {WorkerLike} */
  const like = {
    file: String(host),
    postMessage: (message, transfer) => worker.postMessage(message, transfer),
    terminate: () => void worker.terminate(),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
  worker.on('message', (data) => like.onmessage?.({ data }));
  worker.on('error', (error) => like.onerror?.(error));
  worker.on('messageerror', (error) => like.onerror?.(error));
  worker.on('exit', (code) => like.onerror?.({ message: `it ended with ${code}` }));
  return like;
}

/**
 * Like open(), but the work is done in a worker thread, which ends with close(). Your own source is read on the
 * caller's thread; options must not contain functions.
 *
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export function openInWorker(input, options) {
  return openIn(() => start(), input, options);
}

/**
 * Like inspect(), but the work is done in a worker thread, which ends with close(). Only the option `checkpoint.data`
 * may be a function, and must return URLs, Blobs or bytes.
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @param {any} input
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<ModelInWorker<Kind>>}
 */
export function inspectInWorker(input, options) {
  return inspectIn(() => start(), input, options);
}

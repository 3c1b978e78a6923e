/** openInWorker() and inspectInWorker() for runtimes with web Workers. */
import { workerUrl } from '../init.js';
import { startAt } from './connected-worker.js';
import { inspectIn, openIn } from './page.js';

/** @import { ModelKind } from '../inspect/asked.js' */
/** @import { InspectOptions } from '../inspect/inspect.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { ModelInWorker } from './page.js' */

// Bundlers recognize a worker by this expression.
const start = () =>
  workerUrl ? startAt(workerUrl) : new Worker(new URL('./host.js', import.meta.url), { type: 'module' });

/**
 * Like open(), but the work is done in a Worker, which ends with close(). Your own source is read on the page; options
 * must not contain functions.
 *
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export function openInWorker(input, options) {
  return openIn(start, input, options);
}

/**
 * Like inspect(), but the work is done in a Worker, which ends with close(). Only the option `checkpoint.data` may be a
 * function, and must return URLs, Blobs or bytes.
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @param {any} input
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<ModelInWorker<Kind>>}
 */
export function inspectInWorker(input, options) {
  return inspectIn(start, input, options);
}

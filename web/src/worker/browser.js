/** openInWorker() and inspectInWorker() where there are Workers of the web. */
import { workerUrl } from '../init.js';
import { inspectIn, openIn, startAt } from './page.js';

/** @import { ModelKind } from '../inspect/asked.js' */
/** @import { InspectOptions } from '../inspect/inspect.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { ModelInWorker } from './page.js' */

// Bundlers know a worker by these words.
const start = () =>
  workerUrl ? startAt(workerUrl) : new Worker(new URL('./host.js', import.meta.url), { type: 'module' });

/**
 * As open(), with the work done in a Worker, which ends with close(). A source of yours
 * is read on the page; options hold no functions.
 *
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
const openInWorker = (input, options) => openIn(start, input, options);

/**
 * Like inspect(), but in a Worker, which ends with close(). `checkpoint.data` is the only option that may be a
 * function; it returns URLs, Blobs or bytes.
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @param {any} input
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<ModelInWorker<Kind>>}
 */
const inspectInWorker = (input, options) => inspectIn(start, input, options);

export { inspectInWorker, openInWorker };

/** openInWorker() where there are Workers of the web. */
import { openIn } from './page.js';

/** @import { Message, OpenOptions } from '../reader/open.js' */

// Bundlers know a worker by these words.
const start = () => new Worker(new URL('./host.js', import.meta.url), { type: 'module' });

/**
 * As open(), with the work done in a Worker, which ends with close(). A source of yours
 * is read on the page; options hold no functions.
 *
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
const openInWorker = (input, options) => openIn(start, input, options);

export { openInWorker };

/** openInWorker() where there is no Worker to start. */
import { CpbError } from '../errors.js';

/** @import { Message, OpenOptions } from '../reader/open.js' */

/**
 * Not here: use open().
 *
 * @param {any} input
 * @param {OpenOptions} [options]
 * @returns {Promise<Message>}
 */
export async function openInWorker(input, options) {
  throw new CpbError('UNSUPPORTED', 'no Worker can be started here: use open()');
}

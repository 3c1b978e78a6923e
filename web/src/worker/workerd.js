/** openInWorker() and inspectInWorker() where there is no Worker to start. */
import { CpbError } from '../errors.js';

/** @import { ModelKind } from '../inspect/asked.js' */
/** @import { InspectOptions } from '../inspect/inspect.js' */
/** @import { Message, OpenOptions } from '../reader/open.js' */
/** @import { ModelInWorker } from './page.js' */

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

/**
 * Not here: use inspect().
 *
 * @template {ModelKind} [Kind=ModelKind]
 * @param {any} input
 * @param {InspectOptions<Kind>} [options]
 * @returns {Promise<ModelInWorker<Kind>>}
 */
export async function inspectInWorker(input, options) {
  throw new CpbError('UNSUPPORTED', 'no Worker can be started here: use inspect()');
}

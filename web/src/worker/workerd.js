/** openInWorker() and inspectInWorker() where there is no Worker to start. */
import { CpbError } from '../errors.js';

/** Not here: use open(). @type {typeof import('./browser.js').openInWorker} */
export async function openInWorker() {
  throw new CpbError('UNSUPPORTED', 'no Worker can be started here: use open()');
}

/** Not here: use inspect(). @type {typeof import('./browser.js').inspectInWorker} */
export async function inspectInWorker() {
  throw new CpbError('UNSUPPORTED', 'no Worker can be started here: use inspect()');
}

/** Code that opening and reading a file rarely needs, and that is loaded on demand. */
import { CpbError } from '../errors.js';
import { foreign, HEAD } from '../inspect/ends.js';
import { moduleFor } from '../modules.js';
import { acquire, release } from '../wasm/instance.js';

export * from './addresses.js';
export * from './redirects.js';
export { othersOf } from './references.js';
export * from './refusal.js';

/** @import { Source } from '../types.js' */

/**
 * An error that names the kind of file, if it is known; otherwise the error itself. Only the module for models has
 * the table.
 *
 * @param {Error} error @param {Source} source
 */
export async function named(error, source) {
  const { size } = await source.stat();
  const begin = await source.read(0, Math.min(HEAD, size));
  const module = await moduleFor('inspect');
  const instance = await acquire(module);
  try {
    const text = foreign(instance, { name: source.name ?? '', size, begin });
    return text === undefined ? error : new CpbError('FORMAT', text, { cause: error });
  } finally {
    release(module, instance);
  }
}

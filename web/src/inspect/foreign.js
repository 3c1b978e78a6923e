/** Identifies a file that cannot be read, such as a server's web page, by its first bytes. */
import { CpbError } from '../errors.js';
import { moduleFor } from '../modules.js';
import { acquire, release } from '../wasm/pool.js';
import { foreign } from './ends.js';

/** @import { Source } from '../types.js' */

/** The number of bytes examined. */
const HEAD = 4096;

/**
 * An error that names the kind of file, if it is known; otherwise the error itself. Only the module for models has
 * the table.
 *
 * @param {Error} error
 * @param {Source} source
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

/** Recognizes by its first bytes a file that cannot be read, such as a server's web page. */
import { CpbError } from '../errors.js';
import { moduleFor } from '../modules.js';
import { acquire, release } from '../wasm/pool.js';
import { foreign } from './ends.js';

/** @import { Source } from '../types.js' */

/** How much of it is looked at. */
const HEAD = 4096;

/**
 * The error that says what the file is, where that is known; else the error itself. Only the module that looks inside models
 * has the table.
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

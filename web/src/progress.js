/** Telling how far a call has come. */
import { CpbError } from './errors.js';

/** @import { Progress } from './types.js' */

/**
 * Is told of more bytes, and of the total where that is known only now.
 * @typedef {(more: number, total?: number) => void} Told
 */

/** How many bytes are told of at once, where it is known how many there will be. */
const STEP = 2 ** 18;

/**
 * What tells `onProgress`, if there is one.
 *
 * @param {((progress: Progress) => void) | undefined} onProgress
 * @param {string} of
 * @param {number} [total]
 * @returns {Told | undefined}
 */
export function teller(onProgress, of, total) {
  let done = 0,
    last = 0;
  if (onProgress === undefined) return undefined;
  if (typeof onProgress !== 'function') {
    throw new CpbError('USAGE', `the option onProgress is ${onProgress}; expected a function`);
  }
  return (more, known = total) => {
    done += more;
    total = known;
    if (total !== undefined && done < total && done - last < STEP) return;
    last = done;
    onProgress({ of, done, total });
  };
}

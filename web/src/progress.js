/** Telling how far a call has come. */
import { CpbError } from './errors.js';

/** @import { Progress } from './types.js' */

/**
 * Is told of more bytes, and of the total where that is known only now.
 * @typedef {(more: number, total?: number) => void} Told
 */

/** Bytes between two reports, if the total is known. */
const STEP = 2 ** 18;

/**
 * Reports to `onProgress`, if it is given.
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

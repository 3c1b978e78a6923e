/** Reports the progress of a call. */
import { CpbError } from './errors.js';

/** @import { Progress } from './types.js' */

/**
 * Is given more bytes, and the total if that has just become known.
 * @typedef {(more: number, total?: number) => void} Told
 */

/** The number of bytes between reports, if the total is known. */
const STEP = 2 ** 18;

/**
 * Makes the function that reports to `onProgress`, if there is one.
 *
 * @param {((progress: Progress) => void) | undefined} onProgress @param {string} of @param {number} [total]
 * @returns {Told | undefined}
 */
export function teller(onProgress, of, total) {
  let done = 0,
    last = 0;
  if (onProgress === undefined) return undefined;
  if (typeof onProgress !== 'function')
    throw new CpbError('USAGE', `the option onProgress is ${onProgress}; expected a function`);
  return (more, known = total) => {
    done += more;
    total = known;
    if (total !== undefined && done < total && done - last < STEP) return;
    last = done;
    onProgress({ of, done, total });
  };
}

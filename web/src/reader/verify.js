/** When hashes are checked. */
import { CpbError } from '../errors.js';

/** @import { Verify } from './open-file.js' */

/** @type {Record<string, number>} */
const verifies = { first: 0, late: 1, never: 2 };

/**
 * @param {Verify | undefined} verify
 * @param {Verify} otherwise
 * @returns {number} a cpb_verify
 */
export function verifyOf(verify, otherwise) {
  const value = verifies[verify ?? otherwise];
  if (value === undefined) throw new CpbError('USAGE', `verify is ${verify}; expected 'first', 'late' or 'never'`);
  return value;
}

/** Limits as C has them. */
import { structs } from './structs.js';

/** @import { Limits } from '../types.js' */
/** @import { Scope } from '../wasm/instance.js' */

/**
 * The limits that are C's, by the names that they have there.
 * @param {Limits} limits
 */
function inSnakeCase({ memory, ...others }) {
  return Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/**
 * Returns a function that makes a cpb_limits.
 *
 * @param {Limits} limits
 * @returns {(scope: Scope) => number}
 */
export const limitsOf = (limits) => (scope) => scope.struct(structs.limits, inSnakeCase(limits));

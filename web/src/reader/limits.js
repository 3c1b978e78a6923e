/** Limits in C's form. */
import { structs } from './structs.js';

/** @import { Limits } from '../types.js' */
/** @import { Scope } from '../wasm/instance.js' */

/**
 * C's limits, under their names in C.
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
 * Makes a cpb_limits.
 *
 * @param {Limits} limits
 * @returns {(scope: Scope) => number}
 */
export const limitsOf = (limits) => (scope) => scope.struct(structs.limits, inSnakeCase(limits));

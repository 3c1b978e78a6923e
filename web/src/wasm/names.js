/** @import { Instance } from './instance.js' */

/**
 * The names that a C function, such as cpb_model_kind_name(), gives to the numbers from 1 on.
 *
 * @param {Instance} instance @param {(number: number) => number} name @returns {string[]}
 */
export function namesOf(instance, name) {
  const names = [];
  for (let pointer; (pointer = name(names.length + 1)) !== 0;) names.push(instance.text(pointer));
  return names;
}

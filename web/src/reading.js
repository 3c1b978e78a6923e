/**
 * Reads chunks, and more of a file than its end, which is read on opening; and the functions that only some files need
 * on opening.
 */
import { moduleFor } from './modules.js';
import { structs } from './reader/structs.js';
import { createInstance } from './wasm/instance.js';

export { chunkReading } from './reader/read-chunk.js';
export { fetchFor } from './wasm/fetching.js';

/** @import { Limits } from './types.js' */
/** @import { Instance, Scope } from './wasm/instance.js' */

/** C's limits, under their names in C. @param {Limits} limits */
const inSnakeCase = ({ memory, ...others }) =>
  Object.fromEntries(
    Object.entries(others).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** Makes a cpb_limits. @param {Limits} limits @returns {(scope: Scope) => number} */
export const limitsOf = (limits) => (scope) => scope.struct(structs.limits, inSnakeCase(limits));

/** Brotli's dictionary: the bytes of its words, and where a BrotliDictionary has their address. */
const SIZE = 122784;
const DATA = 164;

/** Gives an instance Brotli's dictionary, when it first reads what Brotli compressed. @param {Instance} instance */
export async function giveDictionary(instance) {
  const from = await createInstance(await moduleFor('dictionary'));
  if (instance.dictionary) return; // another call has loaded it in the meantime
  const copy = (instance.dictionary = instance.alloc(SIZE));
  instance.view(copy, SIZE).set(from.view(from.u32(from.c.BrotliGetDictionary() + DATA), SIZE));
  instance.c.BrotliSetDictionaryData(copy);
}

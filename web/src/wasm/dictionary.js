/** Brotli's dictionary, which an instance is given when it first reads what Brotli compressed. */
import { moduleFor } from '../modules.js';
import { createInstance } from './instance.js';

/** @import { Instance } from './instance.js' */

/** The bytes of its words, and where a BrotliDictionary has their address. */
const SIZE = 122784;
const DATA = 164;

/** @param {Instance} instance */
export async function giveDictionary(instance) {
  const from = await createInstance(await moduleFor('dictionary'));
  if (instance.dictionary) return; // another call has loaded it in the meantime
  const copy = (instance.dictionary = instance.alloc(SIZE));
  instance.view(copy, SIZE).set(from.view(from.u32(from.c.BrotliGetDictionary() + DATA), SIZE));
  instance.c.BrotliSetDictionaryData(copy);
}

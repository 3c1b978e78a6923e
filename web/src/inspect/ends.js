/** Identifies a file by its beginning and end (cpb_file_ends in cpb/model.h). */
import { structs } from './structs.js';

/** @import { Instance, Scope } from '../wasm/instance.js' */

/** @typedef {{ name: string, size: number, begin: Uint8Array, end?: Uint8Array }} Ends */

/** The most bytes of a file's beginning that identify it (CPB_BEGIN_BYTES). */
export const HEAD = 4096;

/** Room for the sentence about a file that is not a model. */
const SENTENCE = 256;

/** @template T @param {Instance} instance @param {Ends} ends @param {(pointer: number, scope: Scope) => T} use */
export const withEnds = (instance, { name, size, begin, end = new Uint8Array() }, use) =>
  instance.scope((scope) => {
    const text = new TextEncoder().encode(name);
    const lent = { begin: scope.bytes(begin), end: scope.bytes(end), name: scope.bytes(text) };
    const sizes = { begin_size: begin.length, end_size: end.length, name_size: text.length, size };
    return use(scope.struct(structs.file_ends, { ...lent, ...sizes }), scope);
  });

/**
 * The sentence about a file that is not a model.
 *
 * @param {Instance} instance
 * @param {Ends} ends
 * @returns {{ is: number, text: string }} is: 0 if unknown
 */
export const look = (instance, ends) =>
  withEnds(instance, ends, (pointer, scope) => {
    const out = scope.alloc(SENTENCE);
    const is = instance.c.cpb_foreign_describe(pointer, out, SENTENCE);
    return { is, text: instance.text(out) };
  });

/** The reader of any other kind reports its own errors. */
const OWN = ['riegeli', 'text', 'zeros'];

/**
 * The sentence about a file of another known kind; undefined for models and unknown files.
 *
 * @param {Instance} instance @param {Ends} ends
 */
export function foreign(instance, ends) {
  if (withEnds(instance, ends, (pointer) => instance.c.cpb_model_guess(pointer))) return undefined;
  const { is, text } = look(instance, ends);
  return is && !OWN.includes(instance.text(is)) ? text : undefined;
}

/**
 * Where what was learnt of a file is kept: `persist` says it, and reader/outline.js uses it. It is
 * found by the `key` of a source, which all layers around that have.
 *
 * @typedef {object} Keeper
 * @property {() => Promise<Uint8Array | undefined>} get undefined: there is none, or it cannot be had
 * @property {(bytes: Uint8Array | undefined) => void} put over what was there; undefined: nothing
 */

/** @type {WeakMap<object, Keeper>} */
export const keepers = new WeakMap();

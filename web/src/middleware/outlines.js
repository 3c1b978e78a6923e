/**
 * Where known facts about a file are kept: `persist` sets it, and reader/outline.js uses it. It is found by the `key`
 * of a source, which all layers around the source share.
 *
 * @typedef {object} Keeper
 * @property {() => Promise<Uint8Array | undefined>} get undefined if nothing is kept, or it cannot be read
 * @property {(bytes: Uint8Array | undefined) => void} put replaces earlier bytes; undefined: removes them
 */

/** @type {WeakMap<object, Keeper>} */
export const keepers = new WeakMap();

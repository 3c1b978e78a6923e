/**
 * Where a file's outline is stored: `persist` sets it, and reader/outline.js uses it. It is found by the `key` of
 * a source, which all layers around the source share.
 *
 * @typedef {object} Keeper
 * @property {() => Promise<Uint8Array | undefined>} get undefined: none is stored, or it cannot be read
 * @property {(bytes: Uint8Array | undefined) => void} put replaces the stored one; undefined removes it
 */

/** @type {WeakMap<object, Keeper>} */
export const keepers = new WeakMap();

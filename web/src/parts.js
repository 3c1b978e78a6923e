/** Code that opening a file does not need. An entry of the package provides it, at once or loaded on demand. */

/** @import { Source } from './types.js' */

/**
 * @template T
 * @typedef {() => T | Promise<T>} Load
 */

/**
 * @typedef {object} Parts
 * @property {(input: any, memory?: number) => Source} inputs makes a source of an input that is neither a source nor a
 *   URL to request
 * @property {(url: string, options: import('./source/url.js').UrlOptions, usage: import('./middleware/meter.js').Meter) =>
 *   import('./source/index.js').LocalSource} urls makes a source of a URL to request
 * @property {typeof import('./source/layers.js').layered} layered puts the default middleware around a source
 * @property {Load<typeof import('./reader/paged-fields.js')>} fields finds fields
 * @property {Load<typeof import('./reader/guessing.js')>} guessing reads the probable places of the next fields
 * @property {Load<typeof import('./reading.js')>} reading reads chunks, and more than the end of a file; limits, and
 *   Brotli's dictionary
 * @property {Load<typeof import('./source/unusual.js')>} unusual handles unusual URLs and responses, identifies files
 *   that cannot be read, and opens other files that a file refers to
 */

/** @type {Parts} */
export let parts;

/** Called by each entry of the package. @param {Parts} given */
export const setUpParts = (given) => void (parts = given);

/** Begins to load code that will be needed, in parallel. @param {...Load<unknown>} loads */
export const loadSoon = (...loads) => loads.forEach((load) => Promise.resolve(load()).catch(() => {}));

/**
 * What opening a file does not take. An entry of the package says whether that is there or is loaded when it is
 * first needed.
 */

/** @import { Source } from './types.js' */

/**
 * @template T
 * @typedef {() => T | Promise<T>} Load
 */

/**
 * @typedef {object} Parts
 * @property {(input: any, memory?: number) => Source} inputs makes a source of what is none and no URL that is requested
 * @property {(url: string, options: import('./source/url.js').UrlOptions, usage: import('./middleware/meter.js').Meter) =>
 *   import('./source/index.js').LocalSource} urls makes a source of a URL that is requested
 * @property {typeof import('./source/layers.js').layered} layered puts the default middleware around a source
 * @property {Load<typeof import('./reader/paged-fields.js')>} fields what finds fields
 * @property {Load<typeof import('./reader/guessing.js')>} guessing what reads where the next fields may be
 * @property {Load<typeof import('./reading.js')>} reading what reads chunks, and more than the end of a file; limits, and Brotli's dictionary
 * @property {Load<typeof import('./source/unusual.js')>} unusual what knows URLs and answers which are not as most are, what
 *   a file is that cannot be read, and other files that one refers to
 */

/** @type {Parts} */
export let parts;

/** What an entry of the package does. @param {Parts} given */
export const setUpParts = (given) => void (parts = given);

/** Begins to load what will be needed, beside other things. @param {...Load<unknown>} loads */
export const loadSoon = (...loads) => loads.forEach((load) => Promise.resolve(load()).catch(() => {}));

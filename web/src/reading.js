/**
 * Reads chunks, and more of a file than its end, which is read on opening; and the functions that only some files need
 * on opening.
 */
export { limitsOf } from './reader/limits.js';
export { chunkReading } from './reader/read-chunk.js';
export { giveDictionary } from './wasm/dictionary.js';
export { fetchFor } from './wasm/fetching.js';

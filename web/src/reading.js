/** Reads chunks, and more of a file than the end that opening reads first; and code that only some files need. */
export { limitsOf } from './reader/limits.js';
export { chunkReading } from './reader/read-chunk.js';
export { giveDictionary } from './wasm/dictionary.js';
export { fetchFor } from './wasm/fetching.js';

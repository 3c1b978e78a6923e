/** What reads chunks, and more of a file than its end, with which opening it begins; and what some files take to be opened. */
export { limitsOf } from './reader/limits.js';
export { chunkReading } from './reader/read-chunk.js';
export { giveDictionary } from './wasm/dictionary.js';
export { fetchFor } from './wasm/fetching.js';

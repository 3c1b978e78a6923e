/** What reads more than the end of a file, with which opening it begins. */
export { chunkReading } from './reader/read-chunk.js';
export { layered, telling } from './source/layers.js';
export { fetchFor } from './wasm/fetching.js';

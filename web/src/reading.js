/** What reads chunks, and fetches more of a file than its end, with which opening it begins. */
export { chunkReading } from './reader/read-chunk.js';
export { fetchFor } from './wasm/fetching.js';

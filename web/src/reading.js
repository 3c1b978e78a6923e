/** What fetches more of a file than its end, with which opening it begins. */
export { layered, telling } from './source/layers.js';
export { fetchFor } from './wasm/fetching.js';

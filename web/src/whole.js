/** All of it, but where a Worker is started: for entries that load nothing later. */
export * from './api.js';
export { inspect } from './inspect/index.js';
export { persist } from './middleware/persist.js';
export { open } from './reader/index.js';
export { openRecords } from './reader/records.js';
export { merge } from './writer/merge.js';
export { repack } from './writer/repack.js';
export { split } from './writer/split.js';

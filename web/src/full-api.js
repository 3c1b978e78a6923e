/** The whole API except openInWorker() and inspectInWorker(), for entries that load all their code at once. */
export * from './api.js';
export { diff } from './inspect/diff.js';
export { inspect } from './inspect/inspect.js';
export { persist } from './middleware/persist.js';
export { open } from './reader/index.js';
export { openRecords } from './reader/records.js';
export { bucketSource } from './source/bucket.js';
export { s3Source } from './source/s3.js';
export { merge } from './writer/merge.js';
export { repack } from './writer/repack.js';
export { split } from './writer/split.js';
export { writeRecords } from './writer/write-records.js';

/** The code that a page loads to write. */
export { merge } from './merge.js';
export { repack } from './repack.js';
export { split } from './split.js';
export { writeRecords } from './write-records.js';

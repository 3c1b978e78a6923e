/** What every entry of the package exports. */
export { CpbError, codes } from './errors.js';
export { init } from './init.js';
export { open } from './reader/open.js';
export { openRecords } from './reader/records.js';

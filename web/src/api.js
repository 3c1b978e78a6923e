/** What every entry of the package exports. */
export { CpbError, codes } from './errors.js';
export { init } from './init.js';
export { open } from './reader/open.js';
export { openRecords } from './reader/records.js';
export { merge } from './writer/merge.js';
export { repack } from './writer/repack.js';
export { split } from './writer/split.js';

export { blobSource } from './source/blob.js';
export { bucketSource } from './source/bucket.js';
export { bytesSource } from './source/bytes.js';
export { urlSource } from './source/url.js';

export { budget } from './middleware/budget.js';
export { cache } from './middleware/cache.js';
export { check } from './middleware/check.js';
export { coalesce } from './middleware/coalesce.js';
export { compose } from './middleware/layer.js';
export { persist } from './middleware/persist.js';
export { retry } from './middleware/retry.js';

/**
 * The entry for React Native, whose engine, Hermes, has no WebAssembly. Each function of the package
 * says so when it is called, instead of failing because of some other missing feature.
 */
import { CpbError } from './errors.js';

export { CpbError, codes } from './errors.js';

/** @param {string} name @returns {never} */
function refuse(name) {
  const instead = 'ask a server that runs libcpb, or show a page that does in a WebView';
  throw new CpbError('UNSUPPORTED', `${name}(): React Native has no WebAssembly, which libcpb is made of; ${instead}`);
}

/** @param {string} name of a function that returns a promise */
const later = (name) => async () => refuse(name);

/** @param {string} name */
const now = (name) => () => refuse(name);

export const diff = later('diff');
export const init = later('init');
export const inspect = later('inspect');
export const inspectInWorker = later('inspectInWorker');
export const open = later('open');
export const openInWorker = later('openInWorker');
export const openRecords = later('openRecords');

export const blobSource = now('blobSource');
export const bucketSource = now('bucketSource');
export const budget = now('budget');
export const bytesSource = now('bytesSource');
export const cache = now('cache');
export const check = now('check');
export const coalesce = now('coalesce');
export const compose = now('compose');
export const merge = now('merge');
export const persist = now('persist');
export const repack = now('repack');
export const retry = now('retry');
export const s3Source = now('s3Source');
export const split = now('split');
export const urlSource = now('urlSource');
export const writeRecords = now('writeRecords');

/**
 * Functions whose code a page loads when it first calls them, to keep the first load small. Only this file and
 * index.js use dynamic imports, as these do not work everywhere: service workers do not support them, and a bundle for
 * a Worker may have to be one file.
 */
import { CpbError } from './errors.js';
import { layer } from './middleware/layer.js';
import { lazySource } from './source/lazy-source.js';
import { openWith } from './reader/open.js';
import { lazyStream } from './source/pieces.js';

/** @import { Output } from './writer/output.js' */

const bucket = () => import('./source/bucket.js');
const checker = () => import('./options.js');
const content = () => import('./reader/message-content.js');
const differ = () => import('./inspect/diff.js');
const inspector = () => import('./inspect/inspect.js');
const persisted = () => import('./middleware/persist.js');
const records = () => import('./reader/records.js');
const s3 = () => import('./source/s3.js');
const worker = () => import('./worker/browser.js');
const writer = () => import('./writer/index.js');

/** @type {typeof import('./full-api.js').open} */
export async function open(input, options) {
  if (options !== undefined) (await checker()).checkOptions(options);
  return openWith(content, input, options);
}

/** @type {typeof import('./full-api.js').openRecords} */
export const openRecords = async (input, options) => (await records()).openRecords(input, options);

/** @type {typeof import('./full-api.js').diff} */
export const diff = async (...models) => (await differ()).diff(...models);

/** @type {typeof import('./full-api.js').inspect} */
export const inspect = async (input, options) => (await inspector()).inspect(input, options);

/** @type {typeof import('./worker/browser.js').openInWorker} */
export const openInWorker = async (input, options) => (await worker()).openInWorker(input, options);

/** @type {typeof import('./worker/browser.js').inspectInWorker} */
export const inspectInWorker = async (input, options) => (await worker()).inspectInWorker(input, options);

/** @type {typeof import('./full-api.js').split} */
export const split = (input, options) => output(async () => (await writer()).split(input, options));

/** @type {typeof import('./full-api.js').merge} */
export const merge = (input, options) => output(async () => (await writer()).merge(input, options));

/** @type {typeof import('./full-api.js').repack} */
export const repack = (input, options) => output(async () => (await writer()).repack(input, options));

/** @type {typeof import('./full-api.js').writeRecords} */
export const writeRecords = (input, options) => output(async () => (await writer()).writeRecords(input, options));

/** @type {typeof import('./full-api.js').persist} */
export const persist = (options) => (source) =>
  lazySource(layer(source, {}), async () => (await persisted()).persist(options)(source));

/** @type {typeof import('./full-api.js').bucketSource} */
export const bucketSource = (store, key) =>
  lazySource({ name: key, remote: true }, async () => (await bucket()).bucketSource(store, key));

/** @type {typeof import('./full-api.js').s3Source} */
export const s3Source = (options) =>
  lazySource({ name: options.key, remote: true }, async () => (await s3()).s3Source(options));

/**
 * An output whose code is still loading.
 *
 * @template R
 * @param {() => Promise<Output<R>>} load
 * @returns {Output<R>}
 */
function output(load) {
  /** @type {Promise<Output<R>> | undefined} */
  let loading;
  /** @type {Output<R> | undefined} */
  let loaded;
  const made = () => (loading ??= load().then((output) => (loaded = output)));
  /** @param {'bytes' | 'blob' | 'to' | 'toFile'} method @returns {(...args: any[]) => Promise<any>} */
  const call =
    (method) =>
    async (...args) =>
      /** @type {any} */ (await made())[method](...args);
  return {
    get result() {
      return loaded?.result;
    },
    stream(options = {}) {
      if (loading) throw new CpbError('USAGE', 'this output was already written: make another');
      const output = made();
      output.catch(() => {}); // The stream says it.
      return /** @type {ReturnType<Output['stream']>} */ (
        lazyStream(async (signal) => (await output).stream({ ...options, signal }), options.signal, 'own')
      );
    },
    bytes: call('bytes'),
    blob: call('blob'),
    to: call('to'),
    toFile: call('toFile'),
  };
}

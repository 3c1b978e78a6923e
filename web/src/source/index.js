/**
 * What can be opened, made a source with the default middleware around it.
 */
import { CpbError } from '../errors.js';
import { budget } from '../middleware/budget.js';
import { cache } from '../middleware/cache.js';
import { check } from '../middleware/check.js';
import { coalesce } from '../middleware/coalesce.js';
import { compose } from '../middleware/layer.js';
import { retry } from '../middleware/retry.js';
import { blobSource } from './blob.js';
import { bytesSource } from './bytes.js';
import { lazySource } from './lazy-source.js';
import { urlSource } from './url.js';

/** @import { Source } from '../types.js' */

/** @typedef {import('../middleware/layer.js').FullSource} FullSource */
/**
 * A source with middleware around it: it has all methods, and aborts take effect at once. `local`:
 * it is of bytes, a Blob or a file, so that a read costs no round trip.
 * @typedef {FullSource & Required<Pick<Source, 'transferred'>> & { local: boolean }} Prepared
 */

/**
 * What can be opened: a URL, in Node, Deno and Bun also a path; a Blob or File; bytes; a
 * source of yours.
 * @typedef {string | URL | Blob | ArrayBuffer | ArrayBufferView | Source} Input
 */

/**
 * How what is opened is read; all of it may be left out.
 * @typedef {object} SourceOptions
 * @property {import('./url.js').UrlOptions} [http]
 * @property {import('../middleware/retry.js').RetryOptions | false} [retry]
 * @property {import('../middleware/coalesce.js').CoalesceOptions} [coalesce]
 * @property {import('../middleware/cache.js').CacheOptions | false} [cache]
 * @property {Partial<import('../types.js').Cost>} [budget]
 */

/**
 * Makes a source of whatever is passed and puts the default middleware around it:
 * for URLs and other remote sources check, retry, coalesce and cache; for all others,
 * those already composed among them, check alone. What it costs is counted.
 *
 * @param {Input} input
 * @param {SourceOptions} [options]
 * @param {(path: string) => Source} [openPath] what a string that is no URL names
 */
export function prepare(input, options = {}, openPath = undefined) {
  const source = sourceOf(input, options, openPath);
  const middleware = source.transferred ? [] : [budget(options.budget)];
  middleware.push(check());
  if (source.remote) {
    if (options.retry !== false) middleware.push(retry(options.retry));
    middleware.push(coalesce(options.coalesce));
    if (options.cache !== false) middleware.push(cache(options.cache));
  }
  const local = source !== input && !source.remote;
  return /** @type {Prepared} */ (Object.assign(compose(source, ...middleware), { local }));
}

/**
 * @param {Input} input
 * @param {SourceOptions} options
 * @param {((path: string) => Source) | undefined} openPath
 * @returns {Source}
 */
function sourceOf(input, { http, budget: limit }, openPath) {
  if (typeof input === 'string' || input instanceof URL) {
    const text = String(input);
    if (/^(blob|data):/i.test(text)) return localUrlSource(text);
    if (openPath && !/^https?:/i.test(text)) return openPath(text);
    return urlSource(text, { ...http, budget: limit });
  }
  if (ArrayBuffer.isView(input) || input instanceof ArrayBuffer) return bytesSource(input);
  if (typeof Blob !== 'undefined' && input instanceof Blob) return blobSource(input);
  const source = /** @type {Source} */ (input);
  if (typeof source?.read === 'function' && typeof source.stat === 'function') return source;
  throw new CpbError('USAGE', 'the input is not a URL, Blob, bytes or source ({ read, stat })');
}

/**
 * A blob: or data: URL, which is fetched as a whole: no server is involved.
 *
 * @param {string} url
 */
const localUrlSource = (url) =>
  lazySource({ name: 'the URL' }, async () => blobSource(await (await fetch(url)).blob()));

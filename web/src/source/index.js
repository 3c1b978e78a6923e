/**
 * What can be opened, made a source with the default middleware around it.
 */
import { isBytes } from '../bytes.js';
import { CpbError } from '../errors.js';
import { budget, meter } from '../middleware/budget.js';
import { cache } from '../middleware/cache.js';
import { check } from '../middleware/check.js';
import { coalesce } from '../middleware/coalesce.js';
import { compose } from '../middleware/layer.js';
import { retry } from '../middleware/retry.js';
import { smallReads } from '../middleware/small-reads.js';
import { blobSource } from './blob.js';
import { bytesSource } from './bytes.js';
import { lazySource } from './lazy-source.js';
import { urlSource } from './url.js';

/** @import { Source } from '../types.js' */
/** @import { Handle, Streamed } from './other.js' */
/** @import { OtherFiles, References } from './references.js' */

/** @typedef {import('../middleware/layer.js').FullSource} FullSource */
/** @typedef {import('../middleware/budget.js').Meter} Meter */
/**
 * A source with middleware around it: it has all methods, and aborts take effect at once. `local`:
 * it is of bytes, a Blob or a file, so that a read costs no round trip; `near`: it is not `remote`; `others`: the files that it
 * refers to.
 * @typedef {FullSource & Required<Pick<Source, 'transferred'>> & { local: boolean, near: boolean,
 *   others: () => Promise<OtherFiles> }} Prepared
 */

/**
 * What can be opened: a URL, in Node, Deno and Bun also a path; a Blob or File; bytes; a file's
 * handle; a stream, which is held in memory; a source of yours.
 * @typedef {string | URL | Blob | ArrayBufferLike | ArrayBufferView | Handle | Streamed | Source} Input
 */

/**
 * How what is opened is read; all of it may be left out.
 * @typedef {object} SourceOptions
 * @property {import('./url.js').UrlOptions} [http]
 * @property {import('../middleware/retry.js').RetryOptions | false} [retry]
 * @property {import('../middleware/coalesce.js').CoalesceOptions} [coalesce]
 * @property {import('../middleware/cache.js').CacheOptions | false} [cache]
 * @property {Partial<import('../types.js').Cost>} [budget]
 * @property {number} [memory] the longest stream as an input, in bytes: it is held in memory;
 *   default 256 MiB
 * @property {References} [references] which other files are opened that a .cpb file names; default 'folder'
 */

/** @type {(input: any, memory?: number) => Source} */
let otherSource = (input) => {
  throw new CpbError('USAGE', `no input: ${input}`);
};

/** What an entry of the package does: says what makes sources of other inputs. @param {typeof otherSource} make */
export const setUpInputs = (make) => void (otherSource = make);

/** @type {() => typeof import('./references.js') | Promise<typeof import('./references.js')>} */
let loadReferences;

/** What an entry of the package does: says what opens other files. @param {typeof loadReferences} load */
export const setUpReferences = (load) => void (loadReferences = load);

/**
 * Makes a source of whatever is passed and puts the default middleware around it:
 * for URLs and other remote sources check, retry, coalesce and cache; for all others,
 * those already composed among them, check. Small reads in a row become larger ones, unless there
 * is a budget of bytes. What it costs is counted.
 *
 * @param {Input} input
 * @param {SourceOptions} [options]
 * @param {(path: string) => Source} [openPath] what a string that is no URL names
 * @param {Meter} [usage] which also counts what others cost
 * @returns {Prepared}
 */
export function prepare(
  input,
  options = {},
  openPath = undefined,
  usage = meter(options.budget ?? options.http?.budget),
) {
  const source = sourceOf(input, options, openPath, usage);
  const middleware = source.transferred ? [] : [budget(undefined, usage)];
  middleware.push(check());
  if (source.remote) {
    if (options.retry !== false) middleware.push(retry(options.retry));
    middleware.push(coalesce(options.coalesce));
    if (options.cache !== false) middleware.push(cache(options.cache));
  }
  const local = source !== input && !source.remote;
  // It reads more than it was asked for, and waits for what others asked for.
  const { budget: limit, http, cache: how } = options;
  const plain = (limit ?? http?.budget)?.bytes === undefined && !(how && how.share === false);
  if (plain) middleware.push(smallReads(local));
  const whole = /** @type {Prepared} */ (compose(source, ...middleware));
  /** @type {OtherFiles | undefined} */
  let others;
  whole.others = async () => {
    const { othersOf } = await loadReferences();
    return (others ??= othersOf(whole, source, options, (other, how) => prepare(other, how, openPath, usage)));
  };
  return Object.assign(whole, { local, near: !source.remote });
}

/**
 * @param {Input} input
 * @param {SourceOptions} options
 * @param {((path: string) => Source) | undefined} openPath
 * @param {Meter} [usage]
 * @returns {Source}
 */
export function sourceOf(input, { http, budget: limit, memory }, openPath, usage = meter(limit ?? http?.budget)) {
  if (typeof input === 'string' || input instanceof URL) {
    const text = String(input);
    if (/^(blob|data):/i.test(text)) return localUrlSource(text);
    if (openPath && !/^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(text)) return openPath(text);
    return urlSource(text, { ...http }, usage);
  }
  if (isBytes(input)) return bytesSource(input);
  if (typeof Blob !== 'undefined' && input instanceof Blob) return blobSource(input);
  const source = /** @type {Source} */ (input);
  // Handles of files have methods of these names, too.
  const isSource = typeof source?.read === 'function' && typeof source.stat === 'function' && !('sync' in source);
  return isSource ? source : otherSource(input, memory);
}

/**
 * A blob: or data: URL, which is fetched as a whole: no server is involved.
 *
 * @param {string} url
 */
const localUrlSource = (url) =>
  lazySource({ name: 'the URL' }, async () => blobSource(await (await fetch(url)).blob()));

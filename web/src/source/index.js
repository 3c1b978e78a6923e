/** Turns inputs into sources, with the default middleware around them. */
import { meter } from '../middleware/meter.js';
import { parts } from '../parts.js';

/** @import { FullSource } from '../middleware/layer.js' */
/** @import { Meter } from '../middleware/meter.js' */
/** @import { Source } from '../types.js' */
/** @import { Handle, Streamed } from './other.js' */
/** @import { OtherFiles, References } from './references.js' */

/**
 * A source of a file that can also be read synchronously. `readInto` reads into `bytes`, to the end of the array or of
 * the file, and returns the number of bytes; undefined before the file is open.
 * @typedef {Source & Partial<import('./later.js').SourceLater> & {
 *   readInto?: (offset: number, bytes: Uint8Array) => number | undefined }} LocalSource
 */
/**
 * A source with middleware around it: it has all methods, and aborts take effect at once. `local`: it reads bytes, a
 * Blob or a file, so that a read costs no round trip; `near`: it is not `remote`; `below`: the source itself, unless
 * there is a budget; `others`: the files that it refers to.
 * @typedef {FullSource & Required<Pick<Source, 'transferred'>> & { local: boolean, near: boolean,
 *   below: LocalSource | undefined, others: () => Promise<OtherFiles> }} Prepared
 */

/**
 * The inputs that can be opened: a URL, in Node, Deno and Bun also a path; a Blob or File; bytes; a file's handle; a
 * stream, which is held in memory; your own source.
 * @typedef {string | URL | Blob | ArrayBufferLike | ArrayBufferView | Handle | Streamed | Source} Input
 */

/**
 * How to read an input; everything is optional.
 * @typedef {object} SourceOptions
 * @property {import('./url.js').UrlOptions} [http]
 * @property {import('../middleware/retry.js').RetryOptions | false} [retry]
 * @property {import('../middleware/coalesce.js').CoalesceOptions} [coalesce]
 * @property {import('../middleware/cache.js').CacheOptions | false} [cache]
 * @property {Partial<import('../types.js').Cost>} [budget]
 * @property {number} [memory] the longest stream as an input, in bytes, which is held in memory; default 256 MiB
 * @property {References} [references] which other files a .cpb file may open; default 'folder'
 */

/**
 * Makes a source of any input, with the default middleware around it.
 *
 * @param {Input} input
 * @param {SourceOptions} [options]
 * @param {(path: string) => Source} [openPath] opens a string that is not a URL
 * @param {Meter} [usage] shared with other sources, whose cost it also counts
 * @returns {Prepared}
 */
export function prepare(input, options = {}, openPath, usage = meter(options.budget ?? options.http?.budget)) {
  const source = sourceOf(input, options, openPath, usage);
  const own = source !== input;
  const local = source.local ?? (own && !source.remote);
  const whole = /** @type {Prepared} */ (parts.layered(source, options, usage, own));
  /** @type {OtherFiles | undefined} */
  let others;
  whole.others = async () => {
    const { othersOf } = await parts.unusual();
    return (others ??= othersOf(whole, source, options, (other, how) => prepare(other, how, openPath, usage)));
  };
  const below = options.budget || options.http?.budget ? undefined : source;
  return Object.assign(whole, { local, near: !source.remote, below });
}

/**
 * @param {Input} input @param {SourceOptions} options @param {((path: string) => Source) | undefined} openPath
 * @param {Meter} [usage] @returns {LocalSource}
 */
export function sourceOf(input, { http, budget: limit, memory }, openPath, usage = meter(limit ?? http?.budget)) {
  const text = typeof input === 'string' || input instanceof URL ? String(input) : undefined;
  if (text !== undefined && !/^(blob|data):/i.test(text)) {
    if (openPath && !/^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(text)) return openPath(text);
    return parts.urls(text, { ...http }, usage);
  }
  const source = /** @type {Source} */ (input);
  // Handles of files also have methods with these names.
  const isSource = typeof source?.read === 'function' && typeof source.stat === 'function' && !('sync' in source);
  return isSource ? source : parts.inputs(input, memory);
}

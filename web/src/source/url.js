import { meter } from '../middleware/meter.js';
import { Exchange } from './exchange.js';
import { streamOf } from './streams.js';
import { Resource } from './resource.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('./first-url.js').First} First */

/**
 * How a URL is read; all of it may be left out.
 * @typedef {object} UrlOptions
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] instead of the
 *   runtime's; one that signs requests can read private buckets
 * @property {HeadersInit} [headers] sent beside Range; in browsers they cause preflights
 * @property {RequestCredentials} [credentials]
 * @property {RequestMode} [mode]
 * @property {RequestCache} [cache] of the browser; 'no-store' lets Chrome, whose cache
 *   answers ranges of one URL one by one, ask for several at once
 * @property {number} [timeout] milliseconds without a byte after which a request fails;
 *   default 30,000
 * @property {number} [minSpeed] bytes a second, below which a request fails; what comes in `timeout` counts, of the time
 *   in which it was waited for. Default 100; 0: any
 * @property {number} [maxTime] milliseconds that a request may take in all, of the time in which it was waited for;
 *   default 600,000, or as long as its bytes take at 10,000 a second if that is more
 * @property {'auto' | boolean} [suffix] whether the last bytes are asked for as
 *   `bytes=-N`; 'auto': unless that costs a browser a preflight
 * @property {number} [maxWhole] bytes up to which a server may answer a range with the
 *   whole resource, which is then kept; default 1 MiB
 * @property {boolean} [ignoreEtag] that a resource stays the same is told by size and date alone: for
 *   servers behind one name that give it different ETags
 * @property {boolean} [requireValidator] true: a server that gives neither ETag nor Last-Modified is refused, as
 *   nothing but the size would tell that the resource changed while it was read
 * @property {'keep' | 'again'} [redirects] 'keep': ranges are requested where redirects led before, until
 *   that fails, without `headers` if it is another origin; 'again': the redirects are followed each time.
 *   Default 'keep'; with a `fetch` that is passed, which may sign for one origin, 'again' for others
 * @property {Partial<import('../types.js').Cost>} [budget] most that it may cost
 */

/**
 * A resource read by HTTP ranges. Only GET is sent, with no header but Range (and
 * yours) and the URL as it is, so that signed URLs work. Each response is checked, and must
 * have the size and the ETag or date of the first one.
 *
 * @param {string | URL} url http or https; hf://OWNER/MODEL[@REVISION]/FILE, gs://BUCKET/OBJECT or
 *   s3://BUCKET/KEY, as far as these are public; or a page at Hugging Face, GitHub or GitLab that shows a file
 * @param {UrlOptions} [options]
 * @param {import('../middleware/meter.js').Meter} [usage] that of others with which it has one budget
 * @returns {Source & { url: string, finalUrl: string }} `finalUrl`: where redirects led
 */
export function urlSource(url, options = {}, usage = meter(options.budget)) {
  return urlSourceFrom(url, options, usage, {});
}

/**
 * The same, going on with what came of it before all of this was there.
 *
 * @param {string | URL} url
 * @param {UrlOptions} options
 * @param {import('../middleware/meter.js').Meter} usage
 * @param {First} first
 */
export function urlSourceFrom(url, options, usage, first) {
  const http = new Exchange(url, options, usage, first.begun);
  const resource = new Resource(http, options, first);
  /** @type {Source & { url: string, finalUrl: string }} */
  const source = {
    name: http.name,
    key: [http.url, options.headers],
    remote: true,
    transferred: http.cost,
    url: http.url,
    get finalUrl() {
      return http.finalUrl;
    },
    read: (...args) => resource.read(...args),
    stat: (...args) => resource.stat(...args),
    tail: (...args) => resource.tail(...args),
    stream: (offset, length, { signal } = {}) => streamOf((inner) => resource.pieces(offset, length, inner), signal),
    beside: async (name) => urlSource(await http.beside(name), options, usage),
    reset: () => resource.reset(),
  };
  // For the page, which shows the address of the file that the URL stands for.
  return Object.assign(source, { requested: () => http.requested() });
}

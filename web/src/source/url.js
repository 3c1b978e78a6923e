import { meter } from '../middleware/meter.js';
import { Exchange } from './exchange.js';
import { streamOf } from './streams.js';
import { Resource } from './resource.js';

/** @import { Source } from '../types.js' */
/** @import { First } from './first-url.js' */

/**
 * How to read a URL; everything is optional.
 * @typedef {object} UrlOptions
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] replaces the runtime's; with a function
 *   that signs requests, private buckets can be read
 * @property {HeadersInit} [headers] sent together with Range; in browsers they cause preflights
 * @property {RequestCredentials} [credentials]
 * @property {RequestMode} [mode]
 * @property {RequestCache} [cache] of the browser; 'no-store' lets Chrome, whose cache
 *   answers ranges of one URL one by one, ask for several at once
 * @property {number} [timeout] milliseconds without a byte after which a request fails; default 30,000
 * @property {number} [minSpeed] bytes per second, below which a request fails; measured over `timeout`, counting only
 *   the time spent waiting for it. Default 100; 0: no limit
 * @property {number} [maxTime] total milliseconds that a request may take, counting only the time spent waiting for it;
 *   default 600,000, or the time of its bytes at 10,000 per second if that is more
 * @property {'auto' | boolean} [suffix] whether to request the last bytes as `bytes=-N`; 'auto': unless that costs a
 *   browser a preflight
 * @property {number} [maxWhole] largest size of a whole resource that a server may send instead of a range, which is
 *   then kept; default 1 MiB
 * @property {boolean} [ignoreEtag] only size and date show whether a resource is unchanged: for servers behind one name
 *   that give it different ETags
 * @property {boolean} [requireValidator] true: a server without ETag and Last-Modified is rejected, because only the
 *   size would show that the resource changed while it was read
 * @property {'keep' | 'again'} [redirects] 'keep': ranges are requested from the target of earlier redirects, until
 *   that fails, without `headers` if it is another origin; 'again': the redirects are followed each time. Default
 *   'keep'; with a `fetch` of your own, which may sign for one origin, 'again' for others
 * @property {Partial<import('../types.js').Cost>} [budget] the most that it may cost
 */

/**
 * A resource read by HTTP ranges. Only GET is sent, with no header but Range (and yours) and the unchanged URL, so that
 * signed URLs work. Each response is checked, and must have the size and the ETag or date of the first one.
 *
 * @param {string | URL} url http or https; hf://OWNER/MODEL[@REVISION]/FILE, gs://BUCKET/OBJECT or
 *   s3://BUCKET/KEY, as far as these are public; or a page at Hugging Face, GitHub or GitLab that shows a file
 * @param {UrlOptions} [options]
 * @param {import('../middleware/meter.js').Meter} [usage] shared with other sources that have the same budget
 * @returns {Source & { url: string, finalUrl: string }} `finalUrl`: the target of redirects
 */
export function urlSource(url, options = {}, usage = meter(options.budget)) {
  return urlSourceFrom(url, options, usage, {});
}

/**
 * The same, continuing with the state from before this code was loaded.
 *
 * @param {string | URL} url @param {UrlOptions} options @param {import('../middleware/meter.js').Meter} usage
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
  // For the page, which shows the address of the file behind the URL.
  return Object.assign(source, { requested: () => http.requested() });
}

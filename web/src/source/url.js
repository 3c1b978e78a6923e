import { meter } from '../middleware/meter.js';
import { Exchange } from './exchange.js';
import { streamOf } from './streams.js';
import { Resource } from './resource.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('./first-url.js').First} First */

/**
 * How a URL is read; all options may be left out.
 * @typedef {object} UrlOptions
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] instead of the
 *   runtime's; one that signs requests can read private buckets
 * @property {HeadersInit} [headers] sent with Range; in browsers they cause preflights
 * @property {RequestCredentials} [credentials]
 * @property {RequestMode} [mode]
 * @property {RequestCache} [cache] of the browser; Chrome's cache serves ranges of one URL
 *   one after another: 'no-store' requests several at once
 * @property {number} [timeout] milliseconds without a byte after which a request fails;
 *   default 30,000
 * @property {number} [minSpeed] bytes a second below which a request fails, measured over `timeout` of waiting. Default
 *   100; 0: any
 * @property {number} [maxTime] milliseconds of waiting that a request may take in all; default 600,000, or the time of its
 *   bytes at 10,000 a second if that is longer
 * @property {'auto' | boolean} [suffix] whether the last bytes are asked for as
 *   `bytes=-N`; 'auto': unless that costs a browser a preflight
 * @property {number} [maxWhole] bytes up to which a server may answer a range with the
 *   whole resource, which is then kept; default 1 MiB
 * @property {boolean} [ignoreEtag] only size and date tell whether a resource changed: for servers behind one
 *   name that give different ETags
 * @property {boolean} [requireValidator] true: refuses a server that gives neither ETag nor Last-Modified, as only a
 *   different size would reveal that the resource changed while it was read
 * @property {'keep' | 'again'} [redirects] 'keep': ranges are requested from the target of earlier redirects
 *   until that fails, without `headers` if it has another origin; 'again': redirects are followed each time.
 *   Default 'keep'; with your own `fetch`, which may sign for one origin, 'again' for other origins
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
 * The same, continuing from data received before this code was loaded.
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

import { meter } from '../middleware/budget.js';
import { Exchange } from './exchange.js';
import { streamOf } from './streams.js';
import { Resource } from './resource.js';

/** @typedef {import('../types.js').Source} Source */

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
 * @property {'auto' | boolean} [suffix] whether the last bytes are asked for as
 *   `bytes=-N`; 'auto': unless that costs a browser a preflight
 * @property {number} [maxWhole] bytes up to which a server may answer a range with the
 *   whole resource, which is then kept; default 1 MiB
 * @property {Partial<import('../types.js').Cost>} [budget] most that it may cost
 */

/**
 * A resource read by HTTP ranges. Only GET is sent, with no header but Range (and
 * yours) and the URL as it is, so that signed URLs work. Each response is checked, and must
 * have the size and the ETag or date of the first one.
 *
 * @param {string | URL} url
 * @param {UrlOptions} [options]
 * @param {import('../middleware/budget.js').Meter} [usage] that of others with which it has one budget
 * @returns {Source & { url: string, finalUrl: string }}
 */
export function urlSource(url, options = {}, usage = meter(options.budget)) {
  const { maxWhole = 1 << 20, suffix = 'auto' } = options;
  const http = new Exchange(url, options, usage);
  const resource = new Resource(http, maxWhole, suffix === 'auto' ? !http.crossOrigin : suffix);
  return {
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
    beside(name) {
      // Each part of the name is escaped, also what servers take for more than a name: `;`, and `+`, which S3 takes
      // for a space. The query may be what signs it.
      const path = encodeURIComponent(name).replace(/%2F/g, '/');
      return urlSource(new URL(`./${path}${new URL(http.url).search}`, http.url), options, usage);
    },
    reset: () => resource.reset(),
  };
}

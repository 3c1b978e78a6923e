import { CpbError } from '../errors.js';
import { request } from './http-request.js';
import { EXPOSE } from './content-range.js';

/** @typedef {import('./http-request.js').Incoming} Incoming */
/** @typedef {import('./url.js').UrlOptions} UrlOptions */
/** @typedef {import('../middleware/budget.js').Meter} Meter */

/** The address of the page or worker, in a browser. */
const here = () => /** @type {{ location?: Location }} */ (globalThis).location;

/** Sends the requests for ranges of one URL, and counts them. */
export class Exchange {
  #options;
  #usage;
  /** Whether the browser's cache is bypassed, as it may be wrong. */
  #distrust = false;
  /** Counts resets: responses to requests from before one are not used. */
  #era = 0;

  /** @param {string | URL} url @param {UrlOptions} options @param {Meter} usage */
  constructor(url, options, usage) {
    const { href, origin, pathname } = parse(url);
    this.#options = options;
    this.#usage = usage;
    this.url = this.finalUrl = href;
    this.name = origin + pathname;
    this.crossOrigin = here() !== undefined && here()?.origin !== origin;
  }

  get cost() {
    return this.#usage.cost;
  }

  /** @param {string} range @param {AbortSignal} signal */
  async #send(range, signal) {
    const options = this.#options;
    const headers = new Headers(options.headers);
    headers.set('Range', range);
    /** @type {RequestInit} */
    const init = { headers, signal };
    for (const key of /** @type {const} */ (['credentials', 'mode', 'cache'])) {
      if (options[key]) Object.assign(init, { [key]: options[key] });
    }
    if (this.#distrust && here()) init.cache = 'no-store';
    return (options.fetch ?? fetch)(this.url, init);
  }

  /**
   * Sends one request and yields its body, which must have exactly as many bytes as `accept`
   * returns. The connection is closed then, or when nobody reads on.
   *
   * @param {string} range
   * @param {number} length that it asks for
   * @param {AbortSignal | undefined} signal
   * @param {(incoming: Incoming) => Promise<number>} accept
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *exchange(range, length, signal, accept) {
    const { name } = this;
    const bill = this.#usage.begin(length);
    const era = this.#era;
    /** @type {Incoming | undefined} */
    let incoming;
    try {
      incoming = await request((inner) => this.#send(range, inner), {
        timeout: this.#options.timeout ?? 30_000,
        signal,
        name,
        advice: this.crossOrigin ? ADVICE : '',
        received: bill.received,
      });
      if (era !== this.#era) throw new CpbError('CHANGED', `${name} was reset meanwhile`);
      this.finalUrl = incoming.response.url || this.finalUrl;
      const count = await accept(incoming);
      let left = count;
      for (let piece; count > 0 && (piece = await incoming.next());) {
        if ((left -= piece.length) < 0) {
          throw new CpbError('RANGE', `${name} sent more bytes than its Content-Range says`);
        }
        yield piece;
      }
      if (left > 0) throw this.cutOff(count - left, count);
    } finally {
      bill.end();
      incoming?.end();
    }
  }

  /**
   * It may have been the browser's cache that cut off the body, so that is bypassed from now on.
   *
   * @param {number} got
   * @param {number} announced
   */
  cutOff(got, announced) {
    this.doubt();
    return new CpbError('NETWORK', `${this.name} sent ${got} of the ${announced} bytes that it announced`, {
      retryable: true,
    });
  }

  /** Bypasses the browser's cache from now on. */
  doubt() {
    this.#distrust = true;
  }

  reset() {
    this.#era++;
    this.doubt();
  }
}

/** What may be wrong when a server of another origin does not respond. */
const ADVICE =
  '; perhaps its CORS rules: it must answer with' +
  ` Access-Control-Allow-Origin, Access-Control-Allow-Headers: Range and ${EXPOSE}`;

/** @param {string | URL} url */
function parse(url) {
  try {
    return new URL(url, here()?.href);
  } catch (cause) {
    throw new CpbError('USAGE', `not a URL: ${String(url).split('?')[0]}`, { cause });
  }
}

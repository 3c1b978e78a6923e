import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { here, placeOf, request, send } from './http-request.js';

/** @import { Meter } from '../middleware/meter.js' */
/** @import { Incoming } from './http-request.js' */
/** @import { UrlOptions } from './url.js' */

/** @typedef {ReturnType<Meter['begin']>} Bill */

/**
 * A request that was sent before this code was loaded.
 * @typedef {{ range: string, bill: Bill, asked: Promise<Incoming> }} Begun
 */

/** Sends the requests for ranges of one URL, and counts them. */
export class Exchange {
  #options;
  #usage;
  /** Whether the browser's cache is bypassed, as it may be wrong. */
  #distrust = false;
  /** Counts resets: responses to requests from before one are not used. */
  #era = 0;
  #given;
  /** The URL to request, once it is known. @type {string | undefined} */
  #home;
  /** @type {import('./redirects.js').Redirects | undefined} */
  #redirects;
  /** Whether there was any response; and whether redirects were requested when there was none. */
  #reached = false;
  probed = false;

  /** @type {Begun | undefined} */
  #begun;

  /** @param {string | URL} url @param {UrlOptions} options @param {Meter} usage @param {Begun} [begun] */
  constructor(url, options, usage, begun) {
    const place = placeOf(url);
    this.#given = String(url);
    this.#home = place.home;
    this.#options = options;
    this.#usage = usage;
    this.#begun = begun;
    this.url = this.finalUrl = place.url;
    this.name = place.name;
    this.crossOrigin = place.crossOrigin;
  }

  get cost() {
    return this.#usage.cost;
  }

  /** The URL that is requested. */
  async requested() {
    return (this.#home ??= (await parts.unusual()).requestedFor(this.#given, this.url, here()?.protocol));
  }

  /** Another file, by its path from the folder of this one. @param {string} path */
  async beside(path) {
    return (await parts.unusual()).beside(this.#given, this.url, path);
  }

  /** @param {string} url @param {string} range @param {AbortSignal} [signal] @param {'follow' | 'manual'} [redirect] */
  #send(url, range, signal, redirect) {
    const options = { ...this.#options };
    if (this.#redirects?.isAway(url)) delete options.headers;
    if (this.#distrust && here()) options.cache = 'no-store';
    return send(url, range, options, signal, redirect);
  }

  /**
   * Sends one request and yields its body, which must have exactly as many bytes as `accept` returns. The connection is
   * then closed, also if the reader stops. The request goes to the target of earlier redirects; if that refuses, it
   * goes to the URL again.
   *
   * @param {string} range
   * @param {number} length that it asks for
   * @param {AbortSignal | undefined} signal
   * @param {(incoming: Incoming) => Promise<number>} accept
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *exchange(range, length, signal, accept) {
    const home = await this.requested();
    const from = this.#redirects?.target ?? home;
    let got = false;
    try {
      for await (const piece of this.#once(from, range, length, signal, accept)) {
        got = true;
        yield piece;
      }
    } catch (/** @type {any} */ error) {
      if (here() && !this.#reached && error?.code === 'NETWORK') {
        const probe = () => (this.#usage.begin(0).end(), this.#send(home, range, signal, 'manual'));
        const told = async () => (await parts.unusual()).explained(error, this, probe);
        throw await told().catch(() => error);
      }
      if (!this.#redirects?.ledAstray(error, from) || got) throw error;
      yield* this.#once(home, range, length, signal, accept);
    }
  }

  /**
   * @param {string} url
   * @param {string} range
   * @param {number} length
   * @param {AbortSignal | undefined} signal
   * @param {Bill} bill
   * @param {Promise<Incoming>} [asked] one that was sent already
   */
  async #request(url, range, length, signal, { received }, asked) {
    const era = this.#era;
    const how = { signal, name: this.name, received };
    asked ??= request((inner) => this.#send(url, range, inner), this.#options, length, how);
    const incoming = await asked;
    this.#reached = true;
    if (era === this.#era) return incoming;
    incoming.end();
    throw new CpbError('CHANGED', `${this.name} was reset`);
  }

  /**
   * @param {string} url @param {string} range @param {number} length @param {AbortSignal | undefined} signal
   * @param {(incoming: Incoming) => Promise<number>} accept @returns {AsyncGenerator<Uint8Array>}
   */
  async *#once(url, range, length, signal, accept) {
    const { name } = this;
    const begun = this.#begun?.range === range ? this.#begun : undefined;
    if (begun) this.#begun = undefined;
    const bill = begun?.bill ?? this.#usage.begin(length);
    let to = url;
    /** @type {Incoming | undefined} */
    let incoming;
    try {
      /** @param {string} at @param {Promise<Incoming>} [asked] */
      const ask = (at, asked) => this.#request(at, range, length, signal, bill, asked);
      incoming = await ask(url, begun?.asked);
      const { redirected, status } = incoming.response;
      if (redirected || (status > 300 && status < 309 && !this.#options.fetch)) {
        this.#redirects ??= new (await parts.unusual()).Redirects(
          /** @type {string} */ (this.#home),
          name,
          this.#options,
        );
        for await ({ incoming, to } of this.#redirects.follow(incoming, url, bill, ask));
      }
      const { response } = incoming;
      this.finalUrl = response.url || to;
      const count = await accept(incoming);
      this.#redirects?.came(to, url);
      let left = count;
      for (let piece; count > 0 && (piece = await incoming.next());) {
        if ((left -= piece.length) < 0)
          throw new CpbError('RANGE', `${name} sent more bytes than its Content-Range says`);
        yield piece;
      }
      if (left > 0) throw this.cutOff(count - left, count);
    } finally {
      bill.end();
      incoming?.end();
    }
  }

  /**
   * The browser's cache may have cut off the body, so it is bypassed from now on.
   *
   * @param {number} got @param {number} announced @param {number} [status]
   */
  cutOff(got, announced, status = 206) {
    this.doubt();
    return new CpbError('NETWORK', `${this.name} sent ${got} of the ${announced} bytes announced`, {
      retryable: true,
      status,
    });
  }

  /** Bypasses the browser's cache from now on. */
  doubt() {
    this.#distrust = true;
  }

  reset() {
    this.#era++;
    this.#redirects = undefined;
    this.doubt();
  }
}

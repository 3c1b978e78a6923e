/** A resource that is read by ranges: sends requests to its server, and interprets the responses. */
import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { PROBE, spanOf, tagOf, validatorsOf } from './headers.js';
import { collect, tailByRead } from './pieces.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Exchange } from './exchange.js' */
/** @import { Validators } from './headers.js' */
/** @import { Incoming } from './http-request.js' */

/** @typedef {{ begin: number, bytes: Uint8Array }} Held */

/** A response with fewer bytes than this, and fewer than requested, is too short. */
const SHORT = 65536;

/** Number of responses that may be too short before reading fails. */
const CONTINUED = 4;

export class Resource {
  /** Whether to request the last bytes as `bytes=-N`. */
  #suffix;
  #options;
  /** @type {Validators | undefined} of the first response; all others must match */
  #pinned;
  /** @type {Held | undefined} all of it, its beginning or its end */
  #held;

  /**
   * @param {Exchange} http @param {import('./url.js').UrlOptions} options
   * @param {{ pinned?: Validators, held?: Held }} known
   */
  constructor(http, options, { pinned, held }) {
    const { maxWhole = 1 << 20, suffix = 'auto' } = options;
    this.http = http;
    this.maxWhole = maxWhole;
    this.#suffix = suffix === 'auto' ? !http.crossOrigin : suffix;
    this.#options = options;
    this.#pinned = pinned;
    this.#held = held;
  }

  /** @param {number} [otherwise] while it is unknown */
  size(otherwise = Infinity) {
    return this.#pinned?.size ?? otherwise;
  }

  /** @param {Headers} headers @param {number} size */
  async agree(headers, size) {
    const http = this.http;
    const found = validatorsOf(headers, size, this.#options);
    if (this.#options.requireValidator && !tagOf(found)) throw (await parts.unusual()).unmarked(http);
    if (JSON.stringify((this.#pinned ??= found)) === JSON.stringify(found)) return;
    try {
      this.#pinned = (await parts.unusual()).pin(this.#pinned, found, http.name);
    } catch (error) {
      http.doubt();
      throw error;
    }
  }

  /**
   * The range in a response; undefined for a whole resource. Some servers send a range with status 200.
   *
   * @param {Response} response
   */
  async #spanOf({ status, headers }) {
    if (status !== 206 && (status !== 200 || !headers.has('content-range'))) return undefined;
    const span = spanOf(headers) ?? (await (await parts.unusual()).spanOfUnknown(headers, this));
    if (status === 200 && span.end - span.begin === span.size) return undefined;
    await this.agree(headers, span.size);
    return span;
  }

  /** Keeps the bytes. @param {number} begin @param {Uint8Array} bytes */
  hold(begin, bytes) {
    this.#held = { begin, bytes };
  }

  /**
   * Requests [begin, end) once, and yields its pieces; none if the response was the whole resource, or only had its
   * size.
   *
   * @param {number} begin @param {number} end @param {AbortSignal} [signal]
   */
  #request(begin, end, signal) {
    const range = `bytes=${begin}-${end === Infinity ? '' : end - 1}`;
    return this.http.exchange(range, end - begin, signal, async (incoming) => {
      const span = await this.#spanOf(incoming.response);
      if (!span) return (await parts.unusual()).withoutRange(incoming, this, begin, end, signal);
      if (span.begin === begin && span.end <= end) return span.end - begin;
      throw (await parts.unusual()).anotherRange(this.http, range, begin, span);
    });
  }

  /**
   * Requests the last bytes as a suffix range. If the server does not support suffixes, this is not an error: the size
   * or the whole resource may be known now, and plain ranges are used.
   *
   * @param {number} length @param {AbortSignal} [signal]
   */
  #requestSuffix(length, signal) {
    return this.http.exchange(`bytes=-${length}`, length, signal, async (incoming) => {
      const span = await this.#spanOf(incoming.response);
      if (!span) await (await parts.unusual()).withoutRange(incoming, this, -1, length);
      this.#suffix = span?.end === span?.size && span?.begin === Math.max(0, (span?.size ?? 0) - length);
      return span && this.#suffix ? span.end - span.begin : 0;
    });
  }

  /** The bytes available from `offset` on. @param {number} offset @param {number} end */
  #heldAt(offset, end) {
    const { begin = 0, bytes = undefined } = this.#held ?? {};
    const from = offset - begin;
    return bytes && from >= 0 && from < bytes.length ? bytes.subarray(from, end - begin) : undefined;
  }

  /** @param {number} offset @param {number} length @param {AbortSignal} [signal] */
  async *pieces(offset, length, signal) {
    const wanted = offset + length;
    const end = () => Math.min(wanted, this.size());
    let left = CONTINUED;
    while (offset < end()) {
      signal?.throwIfAborted();
      const held = this.#heldAt(offset, end());
      if (held) {
        offset += held.length;
        yield held;
        continue;
      }
      const before = offset;
      for await (const piece of this.#request(offset, end(), signal)) {
        offset += piece.length;
        yield piece;
      }
      if (offset - before < SHORT && offset < end() && left-- === 0)
        throw new CpbError('RANGE', `${this.http.name} keeps sending less than was asked for`, { offset });
    }
  }

  /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
  read(offset, length, { signal } = {}) {
    return collect(this.pieces(offset, length, signal), () => Math.min(length, this.size() - offset));
  }

  /** @param {ReadOptions} [options] */
  async stat(options) {
    if (!this.#pinned) {
      const bytes = await this.read(0, PROBE, options);
      this.#held ??= { begin: 0, bytes };
    }
    const pinned = /** @type {Validators} */ (this.#pinned);
    return { size: pinned.size, etag: tagOf(pinned) };
  }

  /** @param {number} length @param {ReadOptions} [options] */
  async tail(length, options = {}) {
    if (!this.#pinned && this.#suffix && length > 0) {
      const bytes = await collect(this.#requestSuffix(length, options.signal), () => Math.min(length, this.size()));
      if (bytes.length) this.#held = { begin: this.size() - bytes.length, bytes };
    }
    return tailByRead(this)(length, options);
  }

  reset() {
    this.http.reset();
    this.#pinned = this.#held = undefined;
  }
}

/** A resource that is read by ranges: what to ask its server for, and what to make of responses. */
import { CpbError } from '../errors.js';
import { loadUnusual } from './exchange.js';
import { sizeOf416, spanOf } from './content-range.js';
import { collect, tailByRead } from './streams.js';
import { pin, tagOf } from './validators.js';

/** @typedef {import('../types.js').ReadOptions} ReadOptions */
/** @typedef {import('./http-request.js').Incoming} Incoming */
/** @typedef {import('./exchange.js').Exchange} Exchange */
/** @typedef {import('./validators.js').Validators} Validators */

/** How much is asked for to learn the size. */
const PROBE = 4096;

/** A response that has less than this, and less than was asked for, is too short. */
const SHORT = 65536;

/** How many responses may be too short before reading fails. */
const CONTINUED = 4;

/** Statuses that a server which knows no suffix ranges may answer one with. */
const noSuffix = [400, 405, 406, 412, 416, 501];

/** @param {Incoming} incoming @param {string} name */
async function refusal(incoming, name) {
  try {
    return await (await loadUnusual()).refusal(incoming, name);
  } catch {
    const { status } = incoming.response;
    return new CpbError('HTTP', `${name} answered ${status}`, { status, retryable: status > 499 });
  }
}

export class Resource {
  #http;
  #maxWhole;
  /** Whether the last bytes are asked for as `bytes=-N`. */
  #suffix;
  #ignoreEtag;
  /** @type {Validators | undefined} those of the first response, which all others must have */
  #pinned;
  /** @type {{ begin: number, bytes: Uint8Array } | undefined} all of it, its beginning or its end */
  #held;

  /** @param {Exchange} http @param {number} maxWhole @param {boolean} suffix @param {boolean} ignoreEtag */
  constructor(http, maxWhole, suffix, ignoreEtag) {
    this.#http = http;
    this.#maxWhole = maxWhole;
    this.#suffix = suffix;
    this.#ignoreEtag = ignoreEtag;
  }

  /** @param {number} [otherwise] while it is not known */
  #size(otherwise = Infinity) {
    return this.#pinned?.size ?? otherwise;
  }

  /** @param {Headers} headers @param {number} size */
  #agree(headers, size) {
    const http = this.#http;
    try {
      this.#pinned = pin(
        this.#pinned,
        {
          size,
          etag: (!this.#ignoreEtag && headers.get('etag')) || undefined,
          lastModified: headers.get('last-modified') ?? undefined,
        },
        http.name,
      );
    } catch (error) {
      http.doubt();
      throw error;
    }
  }

  /**
   * What a response holds that has a range; undefined for a whole resource. Some servers call a range 200.
   *
   * @param {Response} response
   */
  async #spanOf({ status, headers }) {
    if (status === 200 && !headers.has('content-range')) return undefined;
    const span = spanOf(headers);
    if (!span) throw (await loadUnusual()).unclear(headers, this.#http);
    if (status === 200 && span.end - span.begin === span.size) return undefined;
    this.#agree(headers, span.size);
    return span;
  }

  /**
   * A 200: the server ignores ranges, or this one. A small resource is kept as a whole.
   *
   * @param {Incoming} incoming
   * @param {number} cap
   */
  async #takeWhole(incoming, cap) {
    const { wholeOf } = await loadUnusual();
    const bytes = await wholeOf(incoming, this.#http, cap);
    this.#agree(incoming.response.headers, bytes.length);
    this.#held = { begin: 0, bytes };
  }

  /**
   * A 416 is correct only for ranges past the end. S3 does not say where the end is.
   *
   * @param {Headers} headers
   * @param {number} begin
   * @param {AbortSignal} [signal]
   */
  async #pastEnd(headers, begin, signal) {
    const size = sizeOf416(headers);
    if (size !== undefined && (this.#pinned || size <= begin)) this.#agree(headers, size);
    else if (!this.#pinned && begin > 0) await this.stat({ signal });
    if (begin >= this.#size()) return 0;
    throw (await loadUnusual()).notPastEnd(this.#http, begin, this.#pinned);
  }

  /**
   * Requests [begin, end) once, and yields its pieces; none when the response was the
   * whole resource, or told only its size.
   *
   * @param {number} begin
   * @param {number} end
   * @param {AbortSignal} [signal]
   */
  #request(begin, end, signal) {
    const { name } = this.#http;
    const range = `bytes=${begin}-${end === Infinity ? '' : end - 1}`;
    return this.#http.exchange(range, end - begin, signal, async (incoming) => {
      const { response } = incoming;
      const { status } = response;
      const span = status === 200 || status === 206 ? await this.#spanOf(response) : undefined;
      if (status === 200 && !span) {
        const least = begin === 0 && end < Infinity ? end : 0;
        await this.#takeWhole(incoming, Math.max(least, this.#maxWhole));
        return 0;
      }
      if (status === 416) return this.#pastEnd(response.headers, begin, signal);
      if (!span) throw await refusal(incoming, name);
      if (span.begin === begin && span.end <= end) return span.end - begin;
      throw (await loadUnusual()).anotherRange(this.#http, range, begin, span);
    });
  }

  /**
   * Requests the last bytes as a suffix range. A server that does not support these is no
   * error: the size or the whole resource may be known now, and plain ranges are used.
   *
   * @param {number} length
   * @param {AbortSignal} [signal]
   */
  #requestSuffix(length, signal) {
    return this.#http.exchange(`bytes=-${length}`, length, signal, async (incoming) => {
      const { response } = incoming;
      const { status } = response;
      const span = status === 200 || status === 206 ? await this.#spanOf(response) : undefined;
      if (span) {
        const { begin, end, size } = span;
        this.#suffix = end === size && begin === Math.max(0, size - length);
        return this.#suffix ? end - begin : 0;
      }
      if (status !== 200 && !noSuffix.includes(status)) {
        throw await refusal(incoming, this.#http.name);
      }
      this.#suffix = false;
      if (status === 200) {
        await this.#takeWhole(incoming, this.#maxWhole).catch((error) => {
          if (error.code !== 'RANGE') throw error;
        });
      }
      return 0;
    });
  }

  /** What is at hand from `offset` on. @param {number} offset @param {number} end */
  #heldAt(offset, end) {
    const { begin = 0, bytes = undefined } = this.#held ?? {};
    const from = offset - begin;
    return bytes && from >= 0 && from < bytes.length ? bytes.subarray(from, end - begin) : undefined;
  }

  /**
   * @param {number} offset
   * @param {number} length
   * @param {AbortSignal} [signal]
   */
  async *pieces(offset, length, signal) {
    const wanted = offset + length;
    const end = () => Math.min(wanted, this.#size());
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
      if (offset - before < SHORT && offset < end() && left-- === 0) {
        throw new CpbError('RANGE', `${this.#http.name} keeps sending less than was asked for`, { offset });
      }
    }
  }

  /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
  read(offset, length, { signal } = {}) {
    return collect(this.pieces(offset, length, signal), () => Math.min(length, this.#size() - offset));
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
      const bytes = await collect(this.#requestSuffix(length, options.signal), () => Math.min(length, this.#size()));
      if (bytes.length) this.#held = { begin: this.#size() - bytes.length, bytes };
    }
    return tailByRead(this)(length, options);
  }

  reset() {
    this.#http.reset();
    this.#pinned = this.#held = undefined;
  }
}

/**
 * Feeds an engine with bytes of a source, which are fetched on demand and remembered while they may be needed again.
 */
import { asCpbError } from '../errors.js';
import { parts } from '../parts.js';
import { abortable } from '../waiting.js';

/** @import { Range, ReadOptions, Source } from '../types.js' */

/** @typedef {{ offset: number, bytes: Uint8Array }} Piece */

/** The most pieces: each is looked at before more is fetched. A small one cost a request like a large one. */
const MANY = 4096;

/** Bytes of a source that were fetched last and may be needed again, within a bound. */
export class RecentBytes {
  #most;
  /** @type {Piece[]} the one used last comes first */
  pieces = [];
  /** Bytes of all of them. */
  #size = 0;

  /** @param {number} most bytes; the last piece is kept even if it is longer */
  constructor(most) {
    this.#most = most;
  }

  /** @param {number} offset @param {Uint8Array} bytes */
  add(offset, bytes) {
    const pieces = this.pieces;
    if (bytes.length > 0) pieces.unshift({ offset, bytes });
    this.#size += bytes.length;
    while (pieces.length > 1 && (this.#size > this.#most || pieces.length > MANY))
      this.#size -= pieces.pop()?.bytes.length ?? 0;
  }

  /** What there is from `offset` on, in one piece. @param {number} offset */
  at(offset) {
    const pieces = this.pieces;
    const i = pieces.findIndex((p) => offset >= p.offset && offset < p.offset + p.bytes.length);
    const piece = pieces[i];
    if (i > 0) pieces.unshift(...pieces.splice(i, 1));
    return piece?.bytes.subarray(offset - piece.offset);
  }
}

/**
 * @typedef {object} FeedOptions
 * @property {number} [ahead] the smallest request, if the engine's own hint is smaller; requests grow while the
 *   engine's jumps cost no more than reading on; default 0: exactly the bytes it will use
 * @property {number} [most] the largest request, and the most bytes remembered; default 8 MiB. Longer ranges come as a
 *   stream
 * @property {(offset: number) => Range | undefined} [around] the range worth fetching together with the byte at
 *   `offset`: no more, and no less unless it exceeds `most`
 * @property {(offset: number) => number} [until] the limit of a fetch at an offset, beyond the bytes that will
 *   certainly be used
 * @property {number} [tail] the smallest number of bytes fetched with the size
 * @property {number} [size] of the source, if known
 * @property {Piece[]} [held] bytes that are available already
 */

/**
 * @typedef {object} Feed
 * @property {(offset: number) => Uint8Array | undefined} at remembered bytes from
 *   `offset` on
 * @property {(offset: number, length: number, ahead: number, o?: ReadOptions) => Promise<void>}
 *   fetch makes `at(offset)` return bytes, or `size` known if the source ends before
 * @property {(offset: number, length: number, ahead: number, room: (size: number) => Uint8Array) => number}
 *   [readInto] reads bytes that are not remembered synchronously, into the array that `room` makes; returns their
 *   number, or 0 if that is impossible
 * @property {(tail: number, o?: ReadOptions) => Promise<void>} measure makes `size` known
 * @property {number | undefined} size of the source
 * @property {number} got number of bytes received
 * @property {() => void} stop ends a stream that is open
 */

/** The largest request, and the most bytes remembered. Longer ranges come as a stream. */
export let longest = 8 * 2 ** 20;

/** For tests, which then need no large files. @param {number} bytes */
export const streamFrom = (bytes) => void (longest = bytes);

/**
 * A stream of the source for reading on, and its position.
 * @typedef {object} OpenStream
 * @property {ReadableStreamDefaultReader<Uint8Array>} reader
 * @property {number} offset of the next bytes
 * @property {number} end
 */

/** @implements {Feed} */
export class SourceFeed {
  /** @type {OpenStream | undefined} */
  stream;
  /** The end of the last request. */
  asked = -Infinity;
  got = 0;

  /** @param {Source} source @param {FeedOptions} options */
  constructor(source, options) {
    const { held = [], most = longest, ahead = 0 } = options;
    this.source = source;
    this.options = options;
    this.recent = new RecentBytes(most);
    for (const { offset, bytes } of held) this.recent.add(offset, bytes);
    /** The smallest request. */
    this.width = ahead;
    this.size = options.size;
  }

  /** @param {number} offset */
  at(offset) {
    return this.recent.at(offset);
  }

  /** @param {number} offset @param {number} length @param {number} ahead @param {ReadOptions} [options] */
  fetch(offset, length, ahead, options) {
    return this.#guarded(
      async () => (await parts.reading()).fetchFor(this, offset, length, ahead, options),
      options?.signal,
    );
  }

  /** @param {number} tail @param {ReadOptions} [options] */
  measure(tail, options) {
    return this.#guarded(() => this.#measure(tail, options), options?.signal);
  }

  stop() {
    this.stream?.reader.cancel().catch(() => {});
    this.stream = undefined;
  }

  /** Ends the stream on failure, and turns errors of the source into CpbErrors.
   * @param {() => Promise<void>} work
   * @param {AbortSignal} [signal] */
  async #guarded(work, signal) {
    signal?.throwIfAborted();
    try {
      await abortable(work(), signal);
    } catch (error) {
      this.stop();
      throw signal?.aborted ? error : asCpbError(error, 'the source');
    }
  }

  /** @param {number} length @param {ReadOptions} [options] */
  async #measure(length, options) {
    const source = this.source;
    const { tail = 0 } = this.options;
    if (!source.tail) {
      this.size = (await source.stat(options)).size;
      return;
    }
    const { size, bytes } = await source.tail(Math.max(length, tail), options);
    this.size = size;
    this.add(size - bytes.length, bytes);
  }

  /** @param {number} offset @param {Uint8Array} bytes */
  add(offset, bytes) {
    this.got += bytes.length;
    this.recent.add(offset, bytes);
  }
}

/** @param {Source} source @param {FeedOptions} [options] @returns {Feed} */
export const createFeed = (source, options = {}) => new SourceFeed(source, options);

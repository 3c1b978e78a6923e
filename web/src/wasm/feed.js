/**
 * The feed of an engine: bytes of a source, fetched when they are needed
 * and kept while they may be needed again.
 */
import { asCpbError } from '../errors.js';
import { parts } from '../parts.js';
import { abortable } from '../source/abort.js';
import { RecentBytes } from './recent-bytes.js';

/** @import { Range, ReadOptions, Source } from '../types.js' */
/** @import { Piece } from './recent-bytes.js' */

/**
 * @typedef {object} FeedOptions
 * @property {number} [ahead] the smallest request, if the engine's own hint is smaller. Requests
 *   grow while the engine's jumps are so short that reading on is cheaper. Default 0: exactly the needed bytes
 * @property {number} [most] the largest request, and the most bytes that are kept;
 *   default 8 MiB. Longer requests become streams
 * @property {(offset: number) => Range | undefined} [around] the range to fetch together with the byte
 *   at `offset`: no more, and no less unless it exceeds `most`
 * @property {(offset: number) => number} [until] a bound for bytes fetched with the byte at
 *   an offset that are not certain to be used
 * @property {number} [tail] the fewest bytes that are fetched together with the size
 * @property {number} [size] of the source, if known
 * @property {Piece[]} [held] bytes that were fetched before
 */

/**
 * @typedef {object} Feed
 * @property {(offset: number) => Uint8Array | undefined} at remembered bytes from
 *   `offset` on
 * @property {(offset: number, length: number, ahead: number, o?: ReadOptions) => Promise<void>}
 *   fetch
 *   makes `at(offset)` answer, or `size` known when the source ends before
 * @property {(offset: number, length: number, ahead: number, room: (size: number) => Uint8Array) => number}
 *   [readInto]
 *   what is not remembered, without waiting: into the array that `room` makes; answers how many bytes, or 0
 *   where it cannot
 * @property {(tail: number, o?: ReadOptions) => Promise<void>} measure makes `size` known
 * @property {number | undefined} size of the source
 * @property {number} got bytes that came so far
 * @property {() => void} stop ends a stream that is open
 */

/** The longest request, and the most bytes that are kept. Longer requests become streams. */
export let longest = 8 * 2 ** 20;

/** For tests, which need no large files then. @param {number} bytes */
export const streamFrom = (bytes) => void (longest = bytes);

/**
 * An open stream of the source, and its position.
 * @typedef {object} OpenStream
 * @property {ReadableStreamDefaultReader<Uint8Array>} reader
 * @property {number} offset of its next byte
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

  /**
   * @param {number} offset
   * @param {number} length
   * @param {number} ahead
   * @param {ReadOptions} [options]
   */
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

  /** Ends the stream when something fails, and makes errors of the source CpbErrors.
   * @param {() => Promise<void>} work @param {AbortSignal} [signal] */
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

/**
 * @param {Source} source
 * @param {FeedOptions} [options]
 * @returns {Feed}
 */
export const createFeed = (source, options = {}) => new SourceFeed(source, options);

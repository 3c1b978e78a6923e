/**
 * What an engine is fed from: bytes of a source, fetched when they are needed
 * and remembered while they may be needed again.
 */
import { asCpbError } from '../errors.js';
import { abortable } from '../source/wait.js';

/** @import { Range, ReadOptions, Source } from '../types.js' */

/** @typedef {{ offset: number, bytes: Uint8Array }} Piece */

/**
 * @typedef {object} FeedOptions
 * @property {number} [ahead] the least bytes that a request asks for, where the
 *   engine's own hint is smaller, and more while the engine jumps no farther than it
 *   costs to read on; default 0: exactly what it will use
 * @property {number} [most] the most bytes of one request and of what is remembered;
 *   default 8 MiB. What is longer comes as a stream
 * @property {(offset: number) => Range | undefined} [around] what is worth fetching together
 *   with the byte at `offset`: no more, and no less unless it exceeds `most`
 * @property {(offset: number) => number} [until] a bound for what is fetched with the
 *   byte at an offset beyond what is sure to be used
 * @property {number} [tail] the least bytes that are fetched with the size
 * @property {number} [size] of the source, where it is known
 * @property {Piece[]} [held] bytes that are there already
 */

/**
 * @typedef {object} Feed
 * @property {(offset: number) => Uint8Array | undefined} at remembered bytes from
 *   `offset` on
 * @property {(offset: number, length: number, ahead: number, o?: ReadOptions) => Promise<void>}
 *   fetch
 *   makes `at(offset)` answer, or `size` known when the source ends before
 * @property {(tail: number, o?: ReadOptions) => Promise<void>} measure makes `size` known
 * @property {number | undefined} size of the source
 * @property {() => void} stop ends a stream that is open
 */

/** The gap that is read over rather than left out, in a stream. */
const GAP = 256 * 1024;

/** After a jump that is shorter, the next are likely to be: then a request asks for
 * twice the least bytes of the one before, up to WIDEST. */
const NEAR = 64 * 1024;
const WIDEST = 128 * 1024;

/** The most pieces that are remembered: each is looked at before more is fetched. */
const MANY = 64;

/**
 * @param {Source} source
 * @param {FeedOptions} [options]
 * @returns {Feed}
 */
export function createFeed(source, options = {}) {
  const {
    ahead: least = 0,
    most = 8 * 2 ** 20,
    tail: leastTail = 0,
    until = () => Infinity,
  } = options;
  /** @type {Piece[]} the one used last comes first */
  const pieces = [...(options.held ?? [])];
  /** Bytes of all of them. */
  let kept = pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
  /**
   * @type {{ reader: ReadableStreamDefaultReader<Uint8Array>, offset: number, end: number } |
   *   undefined}
   */
  let stream;
  let width = least;
  /** The end of the last request. */
  let asked = -Infinity;

  /** @param {number} offset @param {Uint8Array} bytes */
  function remember(offset, bytes) {
    if (bytes.length > 0) pieces.unshift({ offset, bytes });
    kept += bytes.length;
    while (pieces.length > 1 && (kept > most || pieces.length > MANY))
      kept -= pieces.pop()?.bytes.length ?? 0;
  }

  /** @param {number} offset */
  const indexAt = (offset) =>
    pieces.findIndex((p) => offset >= p.offset && offset < p.offset + p.bytes.length);

  /** Where what is remembered begins next, so that it is not fetched twice.
   * @param {number} offset @param {number} end */
  function untilHeld(offset, end) {
    for (const piece of pieces) if (piece.offset > offset && piece.offset < end) end = piece.offset;
    return end;
  }

  /** The source is at its end at or before this offset.
   * @param {number} size @param {ReadOptions} [options] */
  async function ended(size, options) {
    feed.size ??= size > 0 ? size : (await source.stat(options)).size;
  }

  /** @param {number} offset @param {number} end @param {ReadOptions} [options] */
  async function request(offset, end, options) {
    asked = end;
    const bytes = await source.read(offset, end - offset, options);
    remember(offset, bytes);
    if (bytes.length < end - offset) await ended(bytes.length && offset + bytes.length, options);
  }

  /** @param {number} offset @param {number} length */
  function openStream(offset, length) {
    feed.stop();
    const bytes = /** @type {NonNullable<Source['stream']>} */ (source.stream)(offset, length);
    stream = { reader: bytes.getReader(), offset, end: offset + length };
  }

  /** @param {number} offset @param {AbortSignal} [signal] */
  async function readStream(offset, signal) {
    const open = /** @type {NonNullable<typeof stream>} */ (stream);
    while (open.offset <= offset) {
      const { value, done } = await abortable(open.reader.read(), signal);
      if (done) {
        stream = undefined;
        return ended(open.offset, { signal });
      }
      remember(open.offset, value);
      open.offset += value.length;
    }
  }

  /**
   * @param {number} offset
   * @param {number} length
   * @param {number} ahead
   * @param {ReadOptions} [o]
   */
  async function fetch(offset, length, ahead, o) {
    const size = Math.min(feed.size ?? Infinity, until(offset));
    if (stream && offset >= stream.offset && offset <= stream.offset + GAP && offset < stream.end) {
      return readStream(offset, o?.signal);
    }
    const range = options.around?.(offset);
    if (range && range.length <= most) {
      const begin = indexAt(range.offset) >= 0 ? offset : range.offset;
      return request(begin, untilHeld(offset, range.offset + range.length), o);
    }
    const near = offset >= asked && offset - asked < NEAR;
    width = near ? Math.min(2 * width, WIDEST) : least;
    const end = offset + Math.max(length, ahead, width);
    // To the end of the input, wherever that is.
    const sought = end < Number.MAX_SAFE_INTEGER ? end : Infinity;
    const wanted = untilHeld(offset, Math.min(sought, size));
    if (source.stream && wanted - offset > most) {
      openStream(offset, wanted - offset);
      return readStream(offset, o?.signal);
    }
    return request(offset, Math.min(wanted, offset + Math.max(length, most)), o);
  }

  /** Errors of the source, and a stream that failed.
   * @param {() => Promise<void>} work @param {AbortSignal} [signal] */
  async function guarded(work, signal) {
    signal?.throwIfAborted();
    try {
      await abortable(work(), signal);
    } catch (error) {
      feed.stop();
      throw signal?.aborted ? error : asCpbError(error, 'the source');
    }
  }

  /** @type {Feed} */
  const feed = {
    size: options.size,
    at(offset) {
      const i = indexAt(offset);
      const piece = pieces[i];
      if (i > 0) pieces.unshift(...pieces.splice(i, 1));
      return piece?.bytes.subarray(offset - piece.offset);
    },
    fetch: (offset, length, ahead, options) =>
      guarded(() => fetch(offset, length, ahead, options), options?.signal),
    measure: (length, options) =>
      guarded(async () => {
        const wanted = Math.max(length, leastTail);
        if (!source.tail) return void (feed.size = (await source.stat(options)).size);
        const { size, bytes } = await source.tail(wanted, options);
        feed.size = size;
        remember(size - bytes.length, bytes);
      }, options?.signal),
    stop() {
      stream?.reader.cancel().catch(() => {});
      stream = undefined;
    },
  };
  return feed;
}

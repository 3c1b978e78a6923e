/**
 * Reads on over skipped bytes, if that is faster than another request. Only the length in front of a value shows where
 * the next field begins: a search for one of many large fields jumps from one to the next, and each jump costs a round
 * trip. Sequences of many small fields, such as the nodes of a graph, are also read as one stream instead of separate
 * requests.
 */
import { room } from '../collector.js';
import { abortable } from '../waiting.js';

/** @import { ReadOptions, Source } from '../types.js' */

/** After so many consecutive jumps, none longer than FAR, more are expected. */
const JUMPS = 3;
const FAR = 4 * 2 ** 20;

/**
 * After so many requests that each continue the one before, or so many bytes, the next bytes will probably be read as
 * well.
 */
const ROW = 3;
const LONG_ROW = 128 * 1024;

/** If an answer takes less, in milliseconds, requests are cheap. */
const QUICK = 15;

/** The size of the first stream, in bytes; each is twice as long as the one before, up to the longest. */
const FIRST = 16 * 2 ** 20;
const LONGEST = 128 * 2 ** 20;

/** Reading on must be this many times as fast as a request, because it transfers unneeded bytes. */
const GAIN = 4;

/** After so many bytes the speed is known. */
const KNOWN = 256 * 1024;

/**
 * A stream for reading on.
 * @typedef {object} Open
 * @property {ReadableStreamDefaultReader<Uint8Array>} reader
 * @property {number} offset of the next bytes, `rest` first
 * @property {number} end
 * @property {Uint8Array} rest of the last piece
 * @property {number} bytes number of bytes after the first piece, and the time they took
 * @property {number} ms
 * @property {boolean} first whether nothing has arrived yet
 */

/** @typedef {Required<Pick<Source, 'read' | 'stream'>>} Readable */

class ReadingOn {
  #source;
  #size;
  /** @type {Open | undefined} */
  #open;
  #busy = false;
  #length = FIRST;
  /** The end of the last request, and the number of jumps before it. */
  #asked = -Infinity;
  #jumps = 0;
  /** The number of requests that each continued the one before, and their total bytes. */
  #row = 0;
  #rowBytes = 0;
  /** The time of the last answer, of the last short ones, and whether reading on was slower. @type {number[]} */
  #times = [];
  #took = 0;
  #slow = false;

  /** @param {Readable} source @param {number} size */
  constructor(source, size) {
    this.#source = source;
    this.#size = size;
  }

  /** The shortest time of an answer. */
  #latency() {
    return this.#times.length < JUMPS ? 0 : Math.min(...this.#times);
  }

  /** @param {number} offset @param {number} length @param {ReadOptions} [options] @returns {Promise<Uint8Array>} */
  async read(offset, length, options) {
    if (!this.#busy && this.#reaches(offset, length)) {
      const bytes = await this.#through(offset, length, options?.signal);
      if (bytes) return bytes;
    }
    const gap = offset - this.#asked;
    this.#jumps = gap > 0 && gap <= FAR ? this.#jumps + 1 : 0;
    this.#row = gap === 0 ? this.#row + 1 : 0;
    this.#rowBytes = (gap === 0 ? this.#rowBytes : 0) + length;
    this.#asked = offset + length;
    const begun = performance.now();
    const bytes = await this.#source.read(offset, length, options);
    this.#took = performance.now() - begun;
    if (length < KNOWN) this.#times = [...this.#times, this.#took].slice(-JUMPS);
    return bytes;
  }

  /** Whether an existing or new stream brings these bytes. @param {number} offset @param {number} length */
  #reaches(offset, length) {
    const open = this.#open;
    if (open && offset >= open.offset && offset - open.offset <= FAR && offset + length <= open.end) return true;
    const isNext = offset === this.#asked && (this.#row >= ROW || (this.#row > 0 && this.#rowBytes >= LONG_ROW));
    const goesOn = open ? offset >= open.offset && offset <= open.end + FAR : this.#jumps >= JUMPS || isNext;
    const near = isNext || (offset > this.#asked && offset - this.#asked <= FAR);
    const isQuick = (isNext ? this.#took : this.#latency()) < QUICK;
    if (this.#slow || !goesOn || !(open || near) || length > FIRST || isQuick) return false;
    this.stop();
    const end = Math.min(this.#size, offset + this.#length);
    this.#length = Math.min(2 * this.#length, LONGEST);
    const reader = this.#source.stream(offset, end - offset).getReader();
    this.#open = { reader, offset, end, rest: room(0), bytes: 0, ms: 0, first: true };
    return true;
  }

  /**
   * Bytes of the stream, after skipping those before them; undefined if it did not bring them, or a request would be
   * faster.
   *
   * @param {number} offset @param {number} length @param {AbortSignal} [signal]
   */
  async #through(offset, length, signal) {
    const open = /** @type {Open} */ (this.#open);
    const bytes = room(length);
    this.#busy = true;
    try {
      for (let filled = 0; filled < length;) {
        if (open.rest.length === 0 && !(await this.#next(open, offset - open.offset, signal))) return this.#end();
        const skip = Math.max(0, Math.min(offset + filled - open.offset, open.rest.length));
        const part = open.rest.subarray(skip, skip + length - filled);
        bytes.set(part, filled);
        filled += part.length;
        open.offset += skip + part.length;
        open.rest = open.rest.subarray(skip + part.length);
      }
      this.#asked = offset + length;
      return bytes;
    } catch (error) {
      this.#end();
      if (signal?.aborted) throw error;
      // A separate request for these bytes reports the error.
      this.#slow = true;
      return undefined;
    } finally {
      this.#busy = false;
    }
  }

  /**
   * @param {Open} open
   * @param {number} skip bytes before the wanted ones
   * @param {AbortSignal} [signal]
   */
  async #next(open, skip, signal) {
    const slow = open.bytes >= KNOWN && (skip * open.ms) / open.bytes > this.#latency() / GAIN;
    if (slow) this.#slow = true;
    if (slow) return false;
    const begun = performance.now();
    const { value } = await abortable(open.reader.read(), signal);
    if (!open.first) {
      open.bytes += value?.length ?? 0;
      open.ms += performance.now() - begun;
    }
    open.first = false;
    if (value) open.rest = value;
    return value !== undefined;
  }

  /** Whether so many bytes may be read instead of skipped. @param {number} distance */
  reachesOver(distance) {
    const isQuick = this.#times.length === JUMPS && this.#latency() < QUICK;
    return distance <= FAR && !this.#slow && !isQuick;
  }

  /** @returns {undefined} */
  #end() {
    this.#open?.reader.cancel().catch(() => {});
    this.#open = undefined;
  }

  /** Ends the stream, unless it is being read. */
  stop() {
    if (!this.#busy) this.#end();
  }
}

/** @param {Readable} source @param {number} size */
export const readingOn = (source, size) => new ReadingOn(source, size);

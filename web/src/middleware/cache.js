import { concat } from '../bytes.js';
import { room } from '../collector.js';
import { tailByRead } from '../source/pieces.js';
import { layer } from './layer.js';
import { shared } from './shared.js';

/** @import { ReadOptions, Source, Stat } from '../types.js' */

/**
 * Options of a cache.
 * @typedef {object} CacheOptions
 * @property {number} [bytes] largest number of bytes to keep; default 32 MiB
 * @property {number} [block] shorter reads are widened to blocks of this size; default 0: only requested bytes are read
 * @property {boolean} [share] whether a read waits for another one that brings its bytes; set it to false if promises
 *   may not be shared, as between requests of one Worker; default true
 */

/** The memory of an entry besides its bytes, in bytes. */
const OVERHEAD = 128;

/** Ranges by their first byte; the least recently used are dropped first. @param {number} most bytes */
function lru(most) {
  /** @type {Map<number, Uint8Array>} */
  const entries = new Map();
  let sum = 0;

  /** @param {number} offset */
  function drop(offset) {
    sum -= (entries.get(offset)?.length ?? -OVERHEAD) + OVERHEAD;
    entries.delete(offset);
  }

  return {
    /** The entry that holds this byte. @param {number} position */
    find(position) {
      for (const [offset, bytes] of entries) {
        if (offset > position || position >= offset + bytes.length) continue;
        entries.delete(offset);
        entries.set(offset, bytes);
        return { offset, bytes, end: offset + bytes.length };
      }
      return undefined;
    },
    /** @param {number} offset @param {Uint8Array} bytes */
    put(offset, bytes) {
      if (bytes.length === 0 || bytes.length + OVERHEAD > most) return;
      drop(offset);
      entries.set(offset, bytes);
      sum += bytes.length + OVERHEAD;
      for (const oldest of entries.keys()) {
        if (sum <= most) break;
        drop(oldest);
      }
    },
    clear() {
      entries.clear();
      sum = 0;
    },
  };
}

/** @typedef {ReturnType<typeof shared<Uint8Array>>} Work */
/** A read in progress. @typedef {{ begin: number, end: number, work: Work }} Flight */

class Cached {
  #source;
  #kept;
  #block;
  #share;
  /** @type {Set<Flight>} */
  #flights = new Set();
  /** @type {Stat | undefined} */
  #known;
  /** Counts resets: bytes requested before one are not kept. */
  #generation = 0;

  /** @param {Source} source @param {CacheOptions} options */
  constructor(source, { bytes = 32 << 20, block = 0, share = true }) {
    this.#source = source;
    this.#kept = lru(bytes);
    this.#block = block;
    this.#share = share;
  }

  /**
   * The kept bytes at both ends of [begin, end), and the missing range between.
   *
   * @param {number} begin @param {number} end
   */
  #gather(begin, end) {
    const kept = this.#kept;
    /** @type {Uint8Array[]} */
    const head = [];
    /** @type {Uint8Array[]} */
    const tail = [];
    for (let entry; begin < end && (entry = kept.find(begin));) {
      head.push(entry.bytes.subarray(begin - entry.offset, end - entry.offset));
      begin = Math.min(end, entry.end);
    }
    for (let entry; begin < end && (entry = kept.find(end - 1));) {
      tail.unshift(entry.bytes.subarray(Math.max(0, begin - entry.offset), end - entry.offset));
      end = Math.max(begin, entry.offset);
    }
    return { head, tail, begin, end };
  }

  /** Reads the missing part of [begin, end). @param {number} begin @param {number} end */
  #fly(begin, end) {
    const now = this.#generation;
    const missing = this.#gather(begin, end);
    const length = missing.end - missing.begin;
    const work = shared((signal) =>
      this.#source
        .read(missing.begin, length, { signal })
        .then((bytes) => {
          if (now === this.#generation) this.#kept.put(missing.begin, bytes);
          return concat([...missing.head, bytes, ...(bytes.length === length ? missing.tail : [])]);
        })
        .finally(() => this.#flights.delete(flight)),
    );
    const flight = { begin, end, work };
    if (this.#share) this.#flights.add(flight);
    return flight;
  }

  /** A read in progress that brings all of [offset, end). @param {number} offset @param {number} end */
  #flightFor(offset, end) {
    const under = [...this.#flights].find(
      (other) => other.begin <= offset && end <= other.end && !other.work.abandoned,
    );
    const block = this.#block;
    if (under) return under;
    if (end - offset >= block) return this.#fly(offset, end);
    const size = this.#known?.size ?? Infinity;
    return this.#fly(offset - (offset % block), Math.min(Math.ceil(end / block) * block, size));
  }

  /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
  async read(offset, length, { signal } = {}) {
    signal?.throwIfAborted();
    const end = Math.min(offset + length, this.#known?.size ?? Infinity);
    if (offset >= end) return room(0);
    const there = this.#gather(offset, end);
    if (there.begin === there.end) return concat([...there.head, ...there.tail]);
    const { begin, work } = this.#flightFor(offset, end);
    const bytes = await work.join(signal);
    return begin === offset && bytes.length === end - offset ? bytes : bytes.subarray(offset - begin, end - begin);
  }

  /** @param {ReadOptions} [options] */
  async stat(options) {
    return (this.#known ??= await this.#source.stat(options));
  }

  /** For a source that supports it. @param {number} length @param {ReadOptions} [options] */
  async tail(length, options) {
    if (this.#known) return tailByRead(this)(length, options);
    const now = this.#generation;
    const source = /** @type {Required<Source>} */ (this.#source);
    const { bytes, ...rest } = await source.tail(length, options);
    if (now === this.#generation) {
      this.#known = rest;
      this.#kept.put(rest.size - bytes.length, bytes);
    }
    return { ...rest, bytes };
  }

  reset() {
    this.#generation++;
    this.#known = undefined;
    this.#kept.clear();
    this.#flights.clear();
    this.#source.reset?.();
  }
}

/**
 * Keeps bytes that were read, up to a limit, but not errors. If part of a range is kept, only the rest is read;
 * concurrent reads of the same bytes are joined.
 *
 * @param {CacheOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
export function cache(options = {}) {
  return (source) => {
    const cached = new Cached(source, options);
    return layer(source, {
      read: (...args) => cached.read(...args),
      stat: (...args) => cached.stat(...args),
      tail: source.tail && ((...args) => cached.tail(...args)),
      reset: () => cached.reset(),
    });
  };
}

import { concat, room } from '../bytes.js';
import { tailByRead } from '../source/pieces.js';
import { layer } from './layer.js';
import { shared } from './shared.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('../types.js').Stat} Stat */

/**
 * What a cache keeps.
 * @typedef {object} CacheOptions
 * @property {number} [bytes] most that is kept; default 32 MiB
 * @property {number} [block] reads of less are widened to blocks of so many bytes;
 *   default 0: nothing is read that was not asked for
 * @property {boolean} [share] whether a read waits for another that brings its bytes;
 *   no where promises may not be shared, as between requests of one Worker; default yes
 */

/** What an entry costs beside its bytes. */
const OVERHEAD = 128;

/**
 * Ranges by their first byte, the least recently used dropped first.
 *
 * @param {number} most bytes
 */
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

/**
 * Keeps bytes that were read, within a bound; never errors. What is partly there is
 * only completed, and reads of the same bytes at the same time are one.
 *
 * @param {CacheOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
const cache = ({ bytes: most = 32 << 20, block = 0, share = true } = {}) => (source) => {
  const kept = lru(most);
  /** @typedef {ReturnType<typeof shared<Uint8Array>>} Work */
  /** @typedef {{ begin: number, end: number, work: Work }} Flight */
  /** @type {Set<Flight>} */
  const flights = new Set();
  /** @type {Stat | undefined} */
  let known;
  let generation = 0;

  /**
   * What is kept at both ends of [begin, end), and what is missing between.
   *
   * @param {number} begin
   * @param {number} end
   */
  function gather(begin, end) {
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

  /** @param {number} begin @param {number} end */
  function fly(begin, end) {
    const now = generation;
    const missing = gather(begin, end);
    const length = missing.end - missing.begin;
    const work = shared((signal) => source.read(missing.begin, length, { signal })
      .then((bytes) => {
        if (now === generation) kept.put(missing.begin, bytes);
        return concat([...missing.head, bytes, ...bytes.length === length ? missing.tail : []]);
      })
      .finally(() => flights.delete(flight)));
    const flight = { begin, end, work };
    if (share) flights.add(flight);
    return flight;
  }

  /** @type {Source['read']} */
  async function read(offset, length, { signal } = {}) {
    signal?.throwIfAborted();
    let end = offset + length;
    if (known) end = Math.min(end, known.size);
    if (offset >= end) return room(0);
    const there = gather(offset, end);
    if (there.begin === there.end) return concat([...there.head, ...there.tail]);
    let flight = [...flights].find((other) =>
      other.begin <= offset && end <= other.end && !other.work.abandoned);
    if (!flight) {
      const small = end - offset < block;
      flight = fly(small ? offset - offset % block : offset,
        small ? Math.min(Math.ceil(end / block) * block, known?.size ?? Infinity) : end);
    }
    const { begin } = flight;
    const bytes = await flight.work.join(signal);
    return begin === offset && bytes.length === end - offset
      ? bytes : bytes.subarray(offset - begin, end - begin);
  }

  /** @type {Source['stat']} */
  async function stat(options) {
    return known ??= await source.stat(options);
  }

  const { tail } = source;
  return layer(source, {
    read,
    stat,
    readMany: undefined,
    tail: tail && (async (length, options) => {
      if (known) return tailByRead({ read, stat })(length, options);
      const now = generation;
      const { bytes, ...rest } = await tail.call(source, length, options);
      if (now === generation) {
        known = rest;
        kept.put(rest.size - bytes.length, bytes);
      }
      return { ...rest, bytes };
    }),
    reset() {
      generation++;
      known = undefined;
      kept.clear();
      flights.clear();
      source.reset?.();
    },
  });
};

export { cache };

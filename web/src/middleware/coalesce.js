import { join } from './join.js';
import { layer } from './layer.js';
import { shared, slots } from './shared.js';

/** @import { Range } from '../types.js' */

/**
 * Which ranges are joined, and how many requests run concurrently.
 * @typedef {object} CoalesceOptions
 * @property {number} [gap] unneeded bytes that are worth saving a request; default 16 KiB
 * @property {number} [maxBytes] of a joined request; default 8 MiB
 * @property {number} [connections] requests at once, and twice as many of up to 16 KiB; default 6
 */

/** Requests of up to this size may run in larger numbers, because latency dominates their cost. */
const SMALL = 16 << 10;

/**
 * Joins ranges that are requested in the same turn of the event loop, and limits the number of concurrent requests. A
 * single range is not widened.
 *
 * @param {CoalesceOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
export function coalesce(options = {}) {
  return (source) => {
    const { connections = 6 } = options;
    const [large, small] = [slots(connections), slots(2 * connections)];
    /** @typedef {(bytes: Promise<Uint8Array>) => void} Resolve */
    /** @typedef {Range & { signal?: AbortSignal, resolve: Resolve }} Wanted */
    /** @type {Wanted[]} */
    let queue = [];

    function flush() {
      const batch = queue;
      queue = [];
      for (const { offset, length, members } of join(batch, options)) {
        const inSlot = length > SMALL ? large : small;
        const work = shared((signal) => inSlot(() => source.read(offset, length, { signal }), signal));
        for (const wanted of members) {
          const begin = wanted.offset - offset;
          wanted.resolve(
            work
              .join(wanted.signal)
              .then((bytes) => (members.length === 1 ? bytes : bytes.slice(begin, begin + wanted.length))),
          );
        }
      }
    }

    return layer(source, {
      read: (offset, length, { signal } = {}) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          if (queue.push({ offset, length, signal, resolve }) === 1) queueMicrotask(flush);
        }),
    });
  };
}

import { layer } from './layer.js';
import { shared, slots } from './shared.js';

/** @typedef {import('../types.js').Range} Range */

/**
 * Which ranges are joined, and how many requests run concurrently.
 * @typedef {object} CoalesceOptions
 * @property {number} [gap] bytes nobody asked for that are worth one request less; default 16 KiB
 * @property {number} [maxBytes] of a joined request; default 8 MiB
 * @property {number} [connections] requests at once, and twice as many of up to 16 KiB; default 6
 */

/** Of requests of up to so many bytes more are under way at once, as it is the way that takes their time. */
const SMALL = 16 << 10;

/**
 * Joins ranges that are close to each other: groups in file order, each with the range that
 * covers all its members.
 *
 * @template {Range} T
 * @param {T[]} ranges
 * @param {CoalesceOptions} [options]
 * @returns {(Range & { members: T[] })[]}
 */
export function join(ranges, { gap = 16 << 10, maxBytes = 8 << 20 } = {}) {
  /** @type {(Range & { members: T[] })[]} */
  const groups = [];
  for (const range of [...ranges].sort((a, b) => a.offset - b.offset)) {
    const group = groups.at(-1);
    const length = group && Math.max(group.length, range.offset + range.length - group.offset);
    if (
      group &&
      length !== undefined &&
      range.offset <= group.offset + group.length + gap &&
      (length <= maxBytes || length === group.length)
    ) {
      group.length = length;
      group.members.push(range);
    } else {
      groups.push({ offset: range.offset, length: range.length, members: [range] });
    }
  }
  return groups;
}

/**
 * Joins ranges that are asked for in the same turn of the event loop, and limits the number of
 * concurrent requests. A range that is asked for alone is not widened.
 *
 * @param {CoalesceOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
const coalesce =
  (options = {}) =>
  (source) => {
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

export { coalesce };

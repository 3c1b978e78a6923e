import { layer } from './layer.js';
import { shared } from './shared.js';

/** @import { Source } from '../types.js' */

/**
 * The largest small read, the largest distance between two consecutive reads, and the size of the read that answers the
 * next ones. For a local file, reading further costs less than another read.
 */
const REMOTE = { small: 4096, far: 4096, window: 64 * 1024 };
const LOCAL = { small: 256 * 1024, far: 256 * 1024, window: 4 * 2 ** 20 };

/** After so many consecutive small reads, larger ones begin. */
const ROW = 4;

/**
 * Replaces consecutive small reads, such as of small chunks, by one larger read. If that fails, the requested bytes are
 * read alone.
 *
 * @param {boolean} local also for concurrent reads, which `coalesce` joins otherwise
 * @returns {import('../types.js').Middleware}
 */
export const smallReads = (local) => (source) => {
  const { small, far, window: most } = local ? LOCAL : REMOTE;
  /** @type {{ begin: number, work: ReturnType<typeof shared<Uint8Array>>, bytes?: Uint8Array } | undefined} */
  let window;
  let row = 0,
    running = 0,
    next = 0;

  /** @type {Source['read']} */
  async function read(offset, length, options) {
    const near = length <= small && offset >= next && offset - next <= far;
    row = near ? row + 1 : 0;
    next = offset + length;
    if (row > ROW && (local || !running) && !isThere(offset, next))
      window = { begin: offset, work: shared((signal) => source.read(offset, most, { signal })) };
    const from = isThere(offset, next) && window;
    running++;
    try {
      if (!from) return await source.read(offset, length, options);
      const at = offset - from.begin;
      return (from.bytes ??= await from.work.join(options?.signal)).subarray(at, at + length);
    } catch (error) {
      if (!from || options?.signal?.aborted) throw error;
      window = undefined;
      return await source.read(offset, length, options);
    } finally {
      running--;
    }
  }

  /** @param {number} offset @param {number} end */
  const isThere = (offset, end) =>
    window && (window.bytes || !window.work.abandoned) && offset >= window.begin && end <= window.begin + most;

  return layer(source, {
    read,
    reset() {
      window = undefined;
      source.reset?.();
    },
  });
};

/** Sources for the tests of middleware: what they are asked for is written down. */
import { bytesAt } from './lies.js';

/**
 * @typedef {object} Fake
 * @property {string[]} log such as 'read 10+5', 'stat'
 * @property {number} aborted how many reads were aborted while they waited
 * @property {() => void} release lets the reads that wait go on
 * @property {number} most reads at once, so far
 * @property {import('../../src/types.js').Source} source
 */

/**
 * @param {object} [options]
 * @param {number} [options.size]
 * @param {boolean} [options.held] reads wait until `release`
 * @param {(n: number, offset: number, length: number) => Uint8Array | Promise<Uint8Array> | undefined} [options.answer]
 *   to the n-th read (from 1), or throws; undefined is an honest one
 * @returns {Fake}
 */
export function fake({ size = 1000, held = false, answer = () => undefined } = {}) {
  /** @type {(() => void)[]} */
  let waiting = [];
  let running = 0;
  let n = 0;
  /** @type {Fake} */
  const self = {
    log: [],
    aborted: 0,
    most: 0,
    release() {
      const all = waiting;
      waiting = [];
      for (const go of all) go();
    },
    source: {
      name: 'fake',
      async read(offset, length, { signal } = {}) {
        self.log.push(`read ${offset}+${length}`);
        const mine = ++n;
        self.most = Math.max(self.most, ++running);
        try {
          if (held) {
            await new Promise((resolve, reject) => {
              waiting.push(() => resolve(undefined));
              signal?.addEventListener('abort', () => (self.aborted++, reject(signal.reason)));
            });
          }
          return (await answer(mine, offset, length)) ?? bytesAt(offset, Math.min(size, offset + length));
        } finally {
          running--;
        }
      },
      async stat() {
        self.log.push('stat');
        return { size, etag: '"fake"' };
      },
    },
  };
  return self;
}

/** Lets everything that can go on go on. */
export const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

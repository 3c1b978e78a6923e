import { CpbError } from '../errors.js';
import { piecesOf, streamOf } from '../source/streams.js';
import { sleep as sleepFor } from '../source/abort.js';
import { around, layer } from './layer.js';

/** @typedef {import('../types.js').Source} Source */

/**
 * How often a failed request is repeated, and after which pauses.
 * @typedef {object} RetryOptions
 * @property {number} [attempts] in all; default 4
 * @property {number} [base] milliseconds: the n-th pause is up to base * 2^(n-1); default 250
 * @property {number} [max] longest pause, also if the server asks for a longer one: then
 *   its error is the answer; default 30,000
 * @property {() => number} [jitter] from 0 to 1; default Math.random
 * @property {(ms: number, signal?: AbortSignal) => Promise<void>} [sleep] for tests
 */

/** After so many more bytes of a stream, failures are counted anew. */
const PROGRESS = 1 << 20;

/**
 * Repeats what failed with a `retryable` error, after growing random pauses or when the server
 * says (Retry-After). A stream is continued where it broke off.
 *
 * @param {RetryOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
const retry =
  ({ attempts = 4, base = 250, max = 30_000, jitter = Math.random, sleep = sleepFor } = {}) =>
  (source) => {
    /**
     * Waits before the next attempt; throws the error if there is to be none.
     *
     * @param {unknown} error
     * @param {number} failures so far
     * @param {AbortSignal} [signal]
     */
    async function pause(error, failures, signal) {
      if (signal?.aborted) throw signal.reason;
      if (!(error instanceof CpbError) || !error.retryable || failures >= attempts) throw error;
      const wanted = error.retryAfter ?? 0;
      if (wanted > max) throw error;
      await sleep(Math.max(wanted, jitter() * Math.min(max, base * 2 ** (failures - 1))), signal);
    }

    /**
     * @template T
     * @param {() => Promise<T>} ask
     * @param {import('../types.js').ReadOptions} [options]
     * @returns {Promise<T>}
     */
    async function again(ask, options) {
      for (let failures = 1; ; failures++) {
        try {
          return await ask();
        } catch (error) {
          await pause(error, failures, options?.signal);
        }
      }
    }

    const { stream } = source;
    return layer(source, {
      ...around(source, again),
      stream:
        stream &&
        ((offset, length, { signal } = {}) =>
          streamOf(async function* pieces(inner) {
            const end = offset + length;
            let failures = 0;
            for (let mark = offset; ;) {
              try {
                const rest = stream.call(source, offset, end - offset, { signal: inner });
                for await (const piece of piecesOf(rest)) {
                  offset += piece.length;
                  yield piece;
                }
                return;
              } catch (error) {
                if (offset - mark >= PROGRESS) failures = 0;
                mark = offset;
                await pause(error, ++failures, inner);
              }
            }
          }, signal)),
    });
  };

export { retry };

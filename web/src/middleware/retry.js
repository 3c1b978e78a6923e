import { CpbError } from '../errors.js';
import { piecesOf } from '../source/pieces.js';
import { streamOf } from '../source/streams.js';
import { abortable, controllerUnder } from '../waiting.js';
import { around, layer } from './layer.js';

/**
 * How often a failed request is repeated, and after which pauses.
 * @typedef {object} RetryOptions
 * @property {number} [attempts] in all; default 4
 * @property {number} [patience] milliseconds for which requests without a response are repeated, in any number, if the
 *   source has answered before, or if the browser is offline, in which case the next attempt waits until it is online.
 *   Default 15,000
 * @property {number} [base] milliseconds: the n-th pause is up to base * 2^(n-1); default 250
 * @property {number} [max] longest pause; if the server asks for a longer one, the call
 *   fails with its error; default 30,000
 * @property {() => number} [jitter] from 0 to 1; default Math.random
 * @property {(ms: number, signal?: AbortSignal) => Promise<void>} [sleep] for tests
 */

/** After so many more bytes of a stream, the count of failures restarts. */
const PROGRESS = 1 << 20;

/** Whether a browser says so. */
const isOffline = () => globalThis.navigator?.onLine === false;

/** @param {number} ms @param {AbortSignal} [signal] @returns {Promise<void>} */
function sleepFor(ms, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const slept = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(/** @type {Promise<void>} */ (slept), signal).finally(() => clearTimeout(timer));
}

/**
 * Whether a failed call is tried again, and after which pause.
 *
 * @param {RetryOptions} options @param {() => boolean} hasAnswered
 */
function pausing({ attempts = 4, patience = 15_000, base = 250, max = 30_000, jitter, sleep }, hasAnswered) {
  const [random, wait] = [jitter ?? Math.random, sleep ?? sleepFor];

  /**
   * @param {number} most milliseconds
   * @param {AbortSignal} [signal]
   */
  async function online(most, signal) {
    const { controller, release } = controllerUnder(signal);
    globalThis.addEventListener('online', () => controller.abort(), { once: true });
    await wait(most, controller.signal).then(release, release);
    signal?.throwIfAborted();
  }

  /**
   * A function that waits before the next attempt of one call, or throws the error if the attempts are used up.
   *
   * @param {AbortSignal} [signal]
   */
  return (signal) => {
    let [failures, waited, begun] = [0, 0, 0];
    /** @param {unknown} error @param {boolean} anew whether there was progress in between */
    return async (error, anew = false) => {
      signal?.throwIfAborted();
      if (failures++ === 0 || anew) [failures, waited, begun] = [1, 0, Date.now()];
      if (!(error instanceof CpbError) || !error.retryable || attempts < 2) throw error;
      const left = patience - Math.max(waited, Date.now() - begun);
      // Without a response.
      const isPatient = error.code === 'NETWORK' && !error.status && (hasAnswered() || isOffline()) && left > 0;
      const wanted = error.retryAfter ?? 0;
      if ((failures >= attempts && !isPatient) || wanted > max) throw error;
      if (isPatient && isOffline()) {
        waited = patience;
        return online(left, signal);
      }
      const pause = Math.max(wanted, random() * Math.min(max, base * 2 ** (failures - 1)), isPatient ? base : 0);
      waited += Math.max(1, pause);
      await wait(pause, signal);
    };
  };
}

/**
 * Repeats what failed with a `retryable` error, after growing random pauses or when the server
 * says (Retry-After). A stream is continued where it broke off.
 *
 * @param {RetryOptions} [options]
 * @returns {import('../types.js').Middleware}
 */
export function retry(options = {}) {
  return (source) => {
    let hasAnswered = false;
    const pauses = pausing(options, () => hasAnswered);

    /**
     * @template T @param {() => Promise<T>} ask @param {import('../types.js').ReadOptions} [options]
     * @returns {Promise<T>}
     */
    async function again(ask, options) {
      for (const pause = pauses(options?.signal); ;) {
        try {
          const answer = await ask();
          hasAnswered = true;
          return answer;
        } catch (error) {
          await pause(error);
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
            const pause = pauses(inner);
            for (let mark = offset; ; mark = offset) {
              try {
                const rest = stream.call(source, offset, end - offset, { signal: inner });
                for await (const piece of piecesOf(rest)) {
                  hasAnswered = true;
                  offset += piece.length;
                  yield piece;
                }
                return;
              } catch (error) {
                await pause(error, offset - mark >= PROGRESS);
              }
            }
          }, signal)),
    });
  };
}

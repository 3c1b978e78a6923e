import { CpbError } from '../errors.js';
import { abortable, controllerUnder } from '../waiting.js';

/**
 * An HTTP response whose body has yet to arrive. `next` returns its next piece, or nothing at its end; `end` must be
 * called to stop early.
 *
 * @typedef {object} Incoming
 * @property {Response} response
 * @property {() => Promise<Uint8Array | undefined>} next
 * @property {() => void} end
 */

/**
 * The address of the page or worker, in a browser.
 *
 * @returns {{ href: string, origin: string, protocol: string } | undefined}
 */
export const here = () => /** @type {any} */ (globalThis).location;

/**
 * The resource according to its URL. `home`: the URL to request, if that is clear; `name`: without secrets.
 *
 * @param {string | URL} url
 */
export function placeOf(url) {
  try {
    const { href, origin, protocol, host, pathname } = new URL(url, here()?.href);
    return {
      url: href,
      name: `${protocol}//${host}${pathname}`,
      home: /^https?:(?!.*(\/blob\/|\/github\.com\/))/.test(href) ? href : undefined,
      crossOrigin: here() !== undefined && here()?.origin !== origin,
    };
  } catch (cause) {
    throw new CpbError('USAGE', `no URL: ${String(url).split('?')[0]}`, { cause });
  }
}

/**
 * Requests a range.
 *
 * @param {string} url @param {string} range @param {import('./url.js').UrlOptions} options
 * @param {AbortSignal} [signal] @param {'follow' | 'manual'} [redirect]
 */
export function send(url, range, options, signal, redirect = here() || options.fetch ? undefined : 'manual') {
  const { credentials, mode, cache } = options;
  const headers = new Headers(options.headers);
  headers.set('Range', range);
  return (options.fetch ?? fetch)(url, { headers, signal, redirect, credentials, mode, cache });
}

/** The longest time that timers support, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/**
 * The error for a late response.
 * @param {string} name
 * @param {number} count bytes
 * @param {number} took milliseconds
 * @param {string} expected
 */
const late = (name, count, took, expected) =>
  new CpbError('TIMEOUT', `${name} sent ${count} bytes in ${took} ms; expected ${expected}`, { retryable: true });

/**
 * Measures the speed of a response. Only the time spent waiting for it counts.
 *
 * @param {string} name
 * @param {Required<Pick<import('./url.js').UrlOptions, 'timeout' | 'minSpeed' | 'maxTime'>>} limits
 */
function pace(name, { timeout, minSpeed, maxTime }) {
  // Totals, and values since the last check of the speed: bytes, and milliseconds.
  let [bytes, ms, fresh, since] = [0, 0, 0, 0];
  return {
    /** How long to wait now, and the error after that. */
    get left() {
      const left = maxTime - ms;
      const isTotal = left < timeout;
      const error = () =>
        isTotal ? late(name, bytes, maxTime, 'all (maxTime)') : late(name, 0, timeout, 'some (timeout)');
      return { time: Math.min(timeout, left, LONGEST), error };
    },
    /** @param {number} more milliseconds */
    waited: (more) => void (ms += more),
    /** @param {number} count */
    came(count) {
      bytes += count;
      fresh += count;
      const took = ms - since;
      if (took < timeout) return;
      if (fresh * 1000 < minSpeed * took) throw late(name, fresh, Math.round(took), `${minSpeed} a second (minSpeed)`);
      [fresh, since] = [0, ms];
    },
  };
}

/**
 * Sends a request. It ends with the signal, if nothing arrives for `timeout` milliseconds, before the headers or
 * between pieces of the body, if fewer than `minSpeed` bytes a second arrived in that time, or after `maxTime`.
 *
 * @param {(signal: AbortSignal) => Promise<Response>} send
 * @param {import('./url.js').UrlOptions} options
 * @param {number} length of the requested range
 * @param {object} more
 * @param {AbortSignal} [more.signal]
 * @param {string} more.name
 * @param {(count: number) => void} more.received called with the size of each piece of the body
 * @returns {Promise<Incoming>}
 */
export async function request(send, options, length, { signal, name, received }) {
  const { timeout = 30_000, minSpeed = 100, maxTime = Math.max(600_000, length / 10) } = options;
  signal?.throwIfAborted();
  const { controller, release } = controllerUnder(signal);
  const speed = pace(name, { timeout, minSpeed, maxTime });
  /** @type {Response | undefined} */
  let response;

  /** @template T @param {Promise<T>} promise @param {string} trouble @returns {Promise<T>} */
  async function watched(promise, trouble) {
    const begun = performance.now();
    const { time, error } = speed.left;
    const timer = setTimeout(() => controller.abort(error()), time);
    try {
      return await abortable(promise, controller.signal);
    } catch (cause) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (cause instanceof CpbError) throw cause;
      const status = response?.status;
      throw new CpbError('NETWORK', `${trouble} (${reasonOf(cause)})`, { retryable: true, status, cause });
    } finally {
      clearTimeout(timer);
      speed.waited(performance.now() - begun);
    }
  }

  try {
    response = await watched(send(controller.signal), `no response from ${name}`);
  } catch (error) {
    release();
    throw error;
  }
  const reader = response.body?.getReader();
  return {
    response,
    async next() {
      if (!reader) return undefined;
      const { value } = await watched(reader.read(), `the response of ${name} broke off`);
      received(value?.length ?? 0);
      speed.came(value?.length ?? 0);
      return value;
    },
    end() {
      release();
      reader?.cancel().catch(() => {});
      controller.abort();
    },
  };
}

/** @param {unknown} error */
function reasonOf(error) {
  const { message, cause } = /** @type {Error} */ (error ?? {});
  const deeper = /** @type {Error | undefined} */ (cause)?.message;
  return deeper ? `${message}: ${deeper}` : (message ?? error);
}

import { CpbError } from '../errors.js';
import { abortable, controllerUnder } from './abort.js';

/**
 * An HTTP response whose body is still to come. `next` gives its next piece, or
 * nothing at its end; `end` must be called when no more is wanted.
 *
 * @typedef {object} Incoming
 * @property {Response} response
 * @property {() => Promise<Uint8Array | undefined>} next
 * @property {() => void} end
 */

/**
 * Sends a request, which ends when nothing comes for `timeout` milliseconds, before the
 * headers or between pieces of the body, or by the signal.
 *
 * @param {(signal: AbortSignal) => Promise<Response>} send
 * @param {object} options
 * @param {number} options.timeout
 * @param {AbortSignal} [options.signal]
 * @param {string} options.name
 * @param {(count: number) => void} options.received is told of each piece of the body
 * @returns {Promise<Incoming>}
 */
export async function request(send, { timeout, signal, name, received }) {
  signal?.throwIfAborted();
  const { controller, release } = controllerUnder(signal);

  /**
   * @template T
   * @param {Promise<T>} promise
   * @param {string} trouble
   * @returns {Promise<T>}
   */
  async function watched(promise, trouble) {
    const timer = setTimeout(
      () => controller.abort(new CpbError('TIMEOUT', `no bytes from ${name} for ${timeout} ms`, { retryable: true })),
      timeout,
    );
    try {
      return await abortable(promise, controller.signal);
    } catch (cause) {
      if (controller.signal.aborted) throw controller.signal.reason;
      if (cause instanceof CpbError) throw cause;
      throw new CpbError('NETWORK', `${trouble} (${reasonOf(cause)})`, { retryable: true, cause });
    } finally {
      clearTimeout(timer);
    }
  }

  let response;
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
      if (value) received(value.length);
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

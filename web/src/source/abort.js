/**
 * Waits for a promise until a signal is aborted, whether or not the work behind it listens to it.
 *
 * @template T
 * @param {PromiseLike<T>} promise
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export function abortable(promise, signal) {
  if (!signal) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    const stay = () => signal.removeEventListener('abort', leave);
    promise.then(
      (value) => (stay(), resolve(value)),
      (error) => (stay(), reject(error)),
    );
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(ms, signal) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const slept = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return abortable(/** @type {Promise<void>} */ (slept), signal).finally(() => clearTimeout(timer));
}

/**
 * A controller that is aborted when `signal` is; `release` unties them.
 *
 * @param {AbortSignal} [signal]
 */
export function controllerUnder(signal) {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  return { controller, release: () => signal?.removeEventListener('abort', follow) };
}

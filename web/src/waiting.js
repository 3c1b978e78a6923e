/** Waiting: until a signal is aborted, together with other callers, or for one's turn. */

/** Callbacks that wait for a signal: the signal has only one listener, because Node warns of many.
 * @type {WeakMap<AbortSignal, Set<() => void>>} */
const waiting = new WeakMap();

/**
 * Calls `leave` when the signal is aborted.
 *
 * @param {AbortSignal | undefined} signal
 * @param {() => void} leave
 * @returns {() => void} removes the callback
 */
export function onAbort(signal, leave) {
  if (!signal) return () => {};
  if (signal.aborted) leave();
  const all = waiting.get(signal) ?? new Set();
  if (!waiting.has(signal)) {
    waiting.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((each) => each()), { once: true });
  }
  all.add(leave);
  return () => all.delete(leave);
}

/**
 * Waits for a promise until a signal is aborted, whether or not the work behind it uses the signal.
 *
 * @template T @param {PromiseLike<T>} promise @param {AbortSignal} [signal] @returns {Promise<T>}
 */
export function abortable(promise, signal) {
  if (!signal) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    const stay = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => (stay(), resolve(value)),
      (error) => (stay(), reject(error)),
    );
  });
}

/** A controller that is aborted when `signal` is; `release` unties them. @param {AbortSignal} [signal] */
export function controllerUnder(signal) {
  const controller = new AbortController();
  return { controller, release: onAbort(signal, () => controller.abort(signal?.reason)) };
}

/**
 * Does something once, unless that fails: all callers that wait for it continue together, so that their requests are
 * joined.
 *
 * @template T @param {() => Promise<T>} act @returns {() => Promise<T>}
 */
export function once(act) {
  /** @type {Promise<T> | undefined} */
  let doing;
  return () =>
    (doing ??= act().catch((error) => {
      doing = undefined;
      throw error;
    }));
}

/**
 * Makes the value of each key once; further arguments are those of the first call.
 *
 * @template {object | number} Key @template Value @template {any[]} Rest
 * @param {(key: Key, ...rest: Rest) => Value} make
 * @param {{ has(key: any): boolean, get(key: any): Value | undefined, set(key: any, value: Value): unknown }} [made]
 * @returns {(key: Key, ...rest: Rest) => Value}
 */
export function memo(make, made = new Map()) {
  return (key, ...rest) => {
    if (!made.has(key)) made.set(key, make(key, ...rest));
    return /** @type {Value} */ (made.get(key));
  };
}

/** Does one thing after the other. @returns {<T>(act: () => T | Promise<T>) => Promise<T>} */
export function inTurn() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => {});
    return next;
  };
}

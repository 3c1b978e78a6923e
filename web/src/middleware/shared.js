import { abortable } from '../source/wait.js';

/**
 * Work that several callers wait for. Each may leave by its own signal without harm to
 * the others; when the last one leaves, the work itself is aborted.
 *
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} start
 */
export function shared(start) {
  const controller = new AbortController();
  let waiting = 0;
  const work = start(controller.signal);
  work.catch(() => {});
  return {
    /** Whether all have left: nobody may join any more. */
    get abandoned() { return controller.signal.aborted; },
    /** @param {AbortSignal} [signal] */
    async join(signal) {
      waiting++;
      try {
        return await abortable(work, signal);
      } finally {
        if (--waiting === 0) controller.abort();
      }
    },
  };
}

/**
 * Runs at most so many tasks at once; the others wait their turn, or leave.
 *
 * @param {number} most
 */
export function slots(most) {
  let running = 0;
  /** @type {(() => void)[]} */
  const waiting = [];

  function next() {
    const go = waiting.shift();
    if (go) go();
    else running--;
  }

  /** @param {AbortSignal} [signal] */
  async function turn(signal) {
    if (running < most) return void running++;
    /** @type {() => void} */
    let go = () => {};
    const called = new Promise((resolve) => waiting.push(go = () => resolve(undefined)));
    try {
      await abortable(called, signal);
    } catch (error) {
      const at = waiting.indexOf(go);
      if (at >= 0) waiting.splice(at, 1);
      else next();
      throw error;
    }
  }

  /**
   * @template T
   * @param {() => Promise<T>} task
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   */
  return async (task, signal) => {
    signal?.throwIfAborted();
    await turn(signal);
    try {
      return await task();
    } finally {
      next();
    }
  };
}

import { abortable } from '../waiting.js';

/**
 * Work that several callers wait for. Each can abort its own waiting without affecting the
 * others; the work itself is aborted when no caller waits any more.
 *
 * @template T @param {(signal: AbortSignal) => Promise<T>} start
 */
export function shared(start) {
  const controller = new AbortController();
  let waiting = 0;
  const work = start(controller.signal);
  work.catch(() => {});
  return {
    /** Whether it was aborted, so no caller can join any more. */
    get abandoned() {
      return controller.signal.aborted;
    },
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
 * Runs at most `most` tasks concurrently; the others wait in a queue until they run or are aborted.
 *
 * @param {number} most @returns {<T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>}
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
    const called = new Promise((resolve) => waiting.push((go = () => resolve(undefined))));
    try {
      await abortable(called, signal);
    } catch (error) {
      const at = waiting.indexOf(go);
      if (at >= 0) waiting.splice(at, 1);
      else next();
      throw error;
    }
  }

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

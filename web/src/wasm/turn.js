/** Turns of the event loop: long work is done in several, so that a page answers and signals abort. */

/** The longest that is done in one turn, in milliseconds. */
const TURN = 40;

/** When something was first done in this turn; 0 before. */
let begun = 0;

/**
 * For runtimes where requests share this module: none may wait for another's turn, and the clock stands
 * still while they compute.
 */
export const workAtOnce = () => void (begun = Infinity);

/** @type {any} */
const runtime = globalThis;

/** Calls it in the next turn. @param {() => void} call */
function later(call) {
  const { setImmediate } = runtime;
  if (setImmediate) return setImmediate(call);
  const { MessageChannel } = runtime;
  if (!MessageChannel) return setTimeout(call);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = call;
  port2.postMessage(0);
}

/** Whether this turn was long enough. */
export function isOver() {
  const now = Date.now(); // of `performance`, Node loads much when it is first used
  if (begun === 0) {
    begun = now;
    later(() => (begun = 0));
  }
  return now - begun > TURN;
}

/** @type {Promise<void> | undefined} */
let next;

/** Waits for the next turn, in which all waiting callers continue together. */
export const turn = () =>
  (next ??= new Promise((go) =>
    later(() => {
      begun = 0;
      next = undefined;
      go();
    }),
  ));

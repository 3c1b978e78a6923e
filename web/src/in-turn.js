/**
 * Does one thing after the other.
 *
 * @returns {<T>(act: () => T | Promise<T>) => Promise<T>}
 */
export function inTurn() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (act) => {
    const next = last.then(act);
    last = next.catch(() => {});
    return next;
  };
}

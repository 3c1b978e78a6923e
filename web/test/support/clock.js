/**
 * A clock that passes only while somebody waits for it, so that what a test measures does not depend
 * on how busy the machine is.
 */

/** So many turns of the event loop without a new sleeper: all that could be asked for was. */
const QUIET = 5;

const real = performance.now;

/**
 * Sets the clock that the package measures by. Whoever sleeps wakes once nothing else goes on.
 *
 * @param {number} [quiet] turns
 * @returns {{ sleep: (ms: number) => Promise<void>, readonly wakes: number, stop: () => void }}
 *   `wakes` counts the times at which somebody woke; `stop` sets the real clock again
 */
export function virtualClock(quiet = QUIET) {
  let now = 0;
  let wakes = 0;
  let turns = 0;
  /** @type {{ at: number, wake: () => void }[]} */
  let sleepers = [];
  performance.now = () => now;

  function tick() {
    if (turns++ < quiet) return void setTimeout(tick, 1);
    now = Math.min(...sleepers.map(({ at }) => at));
    wakes++;
    const due = sleepers.filter(({ at }) => at <= now);
    sleepers = sleepers.filter(({ at }) => at > now);
    turns = 0;
    if (sleepers.length) setTimeout(tick, 1);
    for (const { wake } of due) wake();
  }

  return {
    sleep(ms) {
      turns = 0;
      if (sleepers.length === 0) setTimeout(tick, 1);
      return new Promise((wake) => sleepers.push({ at: now + ms, wake: () => wake() }));
    },
    get wakes() {
      return wakes;
    },
    stop() {
      performance.now = real;
    },
  };
}

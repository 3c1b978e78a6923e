/**
 * Predicts a sequence of numbers: the distances between the ends of large values, such as of a model's layers. Layers
 * repeat, grow step by step, or are those of the previous stage with twice the channels. A rule that has predicted the
 * last numbers is trusted.
 */

/**
 * A distance, and the number of bytes read after it until the next one.
 * @typedef {{ distance: number, extent: number }} Jump
 */
/** Predicts the next jump from the previous ones. @typedef {(jumps: Jump[]) => Jump | undefined} Rule */

/**
 * Differences of distances that count as equal, in bytes: the digits of names and lengths; and the same for scaled
 * distances.
 */
const ALIKE = 128;
const ROUGH = 512;

/**
 * The longest period of repetitions, and the number of consecutive jumps that are compared to find earlier equal ones.
 */
const PERIOD = 16;
const CONTEXT = 6;

/** How many jumps back a rule is tested. */
const TRIALS = 32;

/** @param {Jump | undefined} a @param {Jump | undefined} b @param {number} [slack] */
const alike = (a, b, slack = ALIKE) => a !== undefined && b !== undefined && Math.abs(a.distance - b.distance) <= slack;

/** The same as `period` jumps before. @param {number} period @returns {Rule} */
const again = (period) => (jumps) => jumps.at(-period);

/**
 * Larger than the jump one period ago by the same amount as that one was larger than its predecessor.
 * @param {number} period
 * @returns {Rule}
 */
const steps = (period) => (jumps) => {
  const [last, before] = [jumps.at(-period), jumps.at(-2 * period)];
  return last && before && { distance: 2 * last.distance - before.distance, extent: last.extent };
};

/** As before, times the ratio of the last one to its predecessor. @param {number} period @returns {Rule} */
const scaled = (period) => (jumps) => {
  const [last, now, before] = [jumps.at(-period), jumps.at(-1), jumps.at(-1 - period)];
  if (!last || !now || !before) return undefined;
  const factor = now.distance / before.distance;
  return { distance: Math.round(last.distance * factor), extent: last.extent };
};

/** The jump that followed the longest sequence equal to the last jumps. @type {Rule} */
function asBefore(jumps) {
  let [best, longest] = [-1, 0];
  const last = jumps.length - 1;
  for (let i = last - 1; i >= 0 && longest < CONTEXT; i--) {
    let run = 0;
    while (run < CONTEXT && i - run >= 0 && alike(jumps[i - run], jumps[last - run])) run++;
    if (run > longest) [best, longest] = [i, run];
  }
  return jumps[best + 1 || jumps.length];
}

/** @type {{ rule: Rule, least: number, slack: number }[]} `least`: how many it must have predicted */
const rules = [];
for (let period = 1; period <= PERIOD; period++) {
  rules.push({ rule: again(period), least: Math.min(period, 2), slack: ALIKE });
}
rules.push({ rule: asBefore, least: 2, slack: ALIKE });
for (let period = 1; period <= PERIOD; period++) rules.push({ rule: steps(period), least: 2, slack: ALIKE });
for (let period = 2; period <= PERIOD; period++) rules.push({ rule: scaled(period), least: 2, slack: ROUGH });

/**
 * The rule that has predicted most of the last jumps, and how many consecutive ones; undefined if none is trusted.
 *
 * @param {Jump[]} jumps
 * @returns {{ run: number, rule: Rule } | undefined}
 */
function ruleOf(jumps) {
  /** @type {{ run: number, rule: Rule } | undefined} */
  let best;
  for (const { rule, least, slack } of rules) {
    let run = 0;
    while (run < TRIALS && alike(rule(jumps.slice(0, -1 - run)), jumps.at(-1 - run), slack)) run++;
    if (run >= least && run > (best?.run ?? 0)) best = { run, rule };
  }
  return best;
}

/**
 * The next jumps, as far as a rule is found that has predicted the last `run` of them.
 *
 * @param {Jump[]} jumps
 * @param {number} most
 * @returns {{ run: number, next: Jump[] }}
 */
export function goingOn(jumps, most) {
  const found = ruleOf(jumps);
  /** @type {Jump[]} */
  const next = [];
  while (found && next.length < most) {
    const jump = found.rule([...jumps, ...next]);
    if (!jump || !(jump.distance > 0)) break;
    next.push(jump);
  }
  return { run: found?.run ?? 0, next };
}

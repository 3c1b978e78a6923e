/**
 * Predicts the next of a row of numbers: the distances between the ends of large values, such as those of a model's
 * layers. Layers repeat, grow step by step, or are those of the previous stage with twice the channels. The rule that
 * predicted the last numbers is used.
 */

/** A distance, and how many bytes were read behind it until the next. @typedef {{ distance: number, extent: number }} Jump */
/** Predicts the next jump from the previous ones. @typedef {(jumps: Jump[]) => Jump | undefined} Rule */

/** Largest difference of distances that count as equal, due to digits of names and lengths; and if they are scaled. */
const ALIKE = 128;
const ROUGH = 512;

/** Longest period of repeating jumps, and how many jumps in a row are compared to find the same ones before. */
const PERIOD = 16;
const CONTEXT = 6;

/** How many of the last jumps a rule is tested with. */
const TRIALS = 32;

/** @param {Jump | undefined} a @param {Jump | undefined} b @param {number} [slack] */
const alike = (a, b, slack = ALIKE) => a !== undefined && b !== undefined && Math.abs(a.distance - b.distance) <= slack;

/** The same as `period` jumps before. @param {number} period @returns {Rule} */
const again = (period) => (jumps) => jumps.at(-period);

/** Continues linearly from the two jumps one and two periods before. @param {number} period @returns {Rule} */
const steps = (period) => (jumps) => {
  const [last, before] = [jumps.at(-period), jumps.at(-2 * period)];
  return last && before && { distance: 2 * last.distance - before.distance, extent: last.extent };
};

/** The jump one period before, scaled by the ratio of the last jump to the one a period before it. @param {number} period @returns {Rule} */
const scaled = (period) => (jumps) => {
  const [last, now, before] = [jumps.at(-period), jumps.at(-1), jumps.at(-1 - period)];
  if (!last || !now || !before) return undefined;
  const factor = now.distance / before.distance;
  return { distance: Math.round(last.distance * factor), extent: last.extent };
};

/** The jump that followed the longest earlier run equal to the last jumps. @type {Rule} */
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

/** @type {{ rule: Rule, least: number, slack: number }[]} `least`: how many jumps it must have predicted */
const rules = [];
for (let period = 1; period <= PERIOD; period++) {
  rules.push({ rule: again(period), least: Math.min(period, 2), slack: ALIKE });
}
rules.push({ rule: asBefore, least: 2, slack: ALIKE });
for (let period = 1; period <= PERIOD; period++) rules.push({ rule: steps(period), least: 2, slack: ALIKE });
for (let period = 2; period <= PERIOD; period++) rules.push({ rule: scaled(period), least: 2, slack: ROUGH });

/**
 * The rule that has told most of the last jumps, and how many in a row these are; undefined where none is believed.
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
 * How the jumps go on, as far as a rule is found, which has told the last `run` of them.
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

/**
 * Guesses where the next of many large values ends. Only the length in front of a value shows where it ends, so a
 * search must wait for each answer before its next request. But layers repeat or grow, and so do the distances from the
 * end of one value to the end of the next: if they do, the next places are requested at once. A guess
 * only determines where to read: the search itself still goes from length to length. A wrong guess costs a request of 5
 * KiB, or of the bytes read after earlier values. While wrong guesses outnumber right ones by MOST, no more are made,
 * except for distances that have long been predicted correctly.
 */
import { abortable } from '../waiting.js';

/** @import { ReadOptions, Source } from '../types.js' */

/** The smallest jump that counts as a large value. */
const LARGE = 64 * 1024;

/** A guess extends this far before and after the expected place, because small differences add up. */
const SLACK = 512;
/** The smallest request, and the largest one if that much was read after the value before. */
const LENGTH = 4096;
const LONGEST = 64 * 1024;

/** Largest number of unused guesses. */
const MOST = 10;
/** The number of first guesses; two more for each correct one. */
const FIRST = 2;

/** Largest number of bytes of wrong guesses. */
const WASTED = 2 ** 21;

/** Number of jumps that are remembered. */
const REMEMBERED = 96;

/** @typedef {Pick<Source, 'read'>} Reader */
/** @typedef {{ offset: number, end: number, bytes: Promise<Uint8Array | void> }} Guess */

class EqualJumps {
  #source;
  #size;
  #isFar;
  /** Unused guesses, in order; and the last one used. @type {Guess[]} */
  #guesses = [];
  /** @type {Guess | undefined} */
  #used;
  #controller = new AbortController();
  /** @type {Jump[]} from the end of one large value to that of the next */
  #jumps = [];
  /** The end of the last large value; and the range read last. */
  #landing = 0;
  #last = 0;
  #end = 0;
  /** Number of right guesses, and of wrong ones, and the bytes of these. */
  #right = 0;
  #wrong = 0;
  #wasted = 0;

  /** @param {Reader} source @param {number} size @param {(distance: number) => boolean} isFar */
  constructor(source, size, isFar) {
    this.#source = source;
    this.#size = size;
    this.#isFar = isFar;
  }

  /**
   * The guessed bytes at `offset`; fewer than `length` if the guess ends before.
   *
   * @param {number} offset
   * @param {number} length
   * @param {ReadOptions} [options]
   * @returns {Promise<Uint8Array | undefined>} undefined if it was not guessed, or could not be read
   */
  async at(offset, length, options) {
    if (offset < this.#end) this.#forget(offset);
    else if (offset - this.#end >= LARGE) this.#land(offset);
    this.#end = offset + length;
    this.#last = offset;
    const guess = this.#used;
    if (!guess || offset < guess.offset || offset >= guess.end) return undefined;
    const begin = offset - guess.offset;
    const bytes = (await abortable(guess.bytes, options?.signal))?.subarray(begin, begin + length);
    this.#end = offset + (bytes?.length || length);
    return bytes?.length ? bytes : undefined;
  }

  /** @param {number} offset after a large value */
  #land(offset) {
    const last = this.#jumps.at(-1);
    if (last) last.extent = this.#last - this.#landing + LENGTH;
    this.#jumps = [...this.#jumps, { distance: offset - this.#landing, extent: LENGTH }].slice(-REMEMBERED);
    this.#landing = offset;
    const i = this.#guesses.findIndex((one) => offset >= one.offset && offset < one.end);
    if (i < 0) this.#miss();
    else this.#hit(i);
    const { run, next } = goingOn(this.#jumps, MOST);
    const mayBeWrong = this.#wrong < this.#right + MOST && this.#wasted < WASTED;
    if (mayBeWrong || run >= MOST) this.#guess(offset, next.slice(0, FIRST + 2 * run));
  }

  /** @param {number} i the guesses before it were wrong */
  #hit(i) {
    this.#waste(this.#guesses.slice(0, i));
    this.#used = this.#guesses[i];
    this.#guesses = this.#guesses.slice(i + 1);
    this.#right++;
  }

  #miss() {
    this.#waste(this.#guesses);
    this.stop();
  }

  /** @param {Guess[]} guesses */
  #waste(guesses) {
    this.#wrong += guesses.length;
    for (const { offset, end } of guesses) this.#wasted += end - offset;
  }

  /** @param {number} landing @param {Jump[]} coming */
  #guess(landing, coming) {
    const { signal } = this.#controller;
    let asked = this.#guesses.at(-1)?.end ?? landing;
    let at = landing;
    for (const { distance, extent } of coming) {
      at += distance;
      if (at >= this.#size || !this.#isFar(distance)) break;
      if (at < asked) continue;
      const [offset, end] = [at - SLACK, Math.min(this.#size, at + Math.min(extent, LONGEST) + SLACK)];
      const bytes = this.#source.read(offset, end - offset, { signal }).catch(() => {});
      this.#guesses.push({ offset, end, bytes });
      asked = end;
    }
  }

  /** Starts over, for bytes before those that were read. @param {number} offset */
  #forget(offset) {
    this.#miss();
    this.#jumps = [];
    this.#landing = offset;
  }

  /** Abandons reads in progress. */
  stop() {
    this.#guesses = [];
    this.#used = undefined;
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}

/**
 * @param {Reader} source
 * @param {number} size
 * @param {(distance: number) => boolean} isFar whether a value of this length is worth a guess
 */
export const equalJumps = (source, size, isFar) => new EqualJumps(source, size, isFar);

/* --- Predicting distances -------------------------------------------------------
 * Layers repeat, grow step by step, or are those of the previous stage with twice the channels. A rule that has
 * predicted the last distances is trusted.
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
for (let period = 1; period <= PERIOD; period++)
  rules.push({ rule: again(period), least: Math.min(period, 2), slack: ALIKE });
rules.push({ rule: asBefore, least: 2, slack: ALIKE });
for (let period = 1; period <= PERIOD; period++) rules.push({ rule: steps(period), least: 2, slack: ALIKE });
for (let period = 2; period <= PERIOD; period++) rules.push({ rule: scaled(period), least: 2, slack: ROUGH });

/**
 * The rule that has predicted most of the last jumps, and how many consecutive ones; undefined if none is trusted.
 *
 * @param {Jump[]} jumps @returns {{ run: number, rule: Rule } | undefined}
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
 * @param {Jump[]} jumps @param {number} most @returns {{ run: number, next: Jump[] }}
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

/**
 * Guessing where the next of many large values ends. Only the length in front of a value says where
 * it ends, so whoever walks over them waits for one answer before asking for the next. But layers
 * repeat, and so do the distances from the end of one value to the end of the next: where they do,
 * the next places are asked for at once. A wrong guess costs a request of 5 KiB, and while as many
 * as MOST more were wrong than right, there are no others, but for distances that have repeated
 * for long since.
 */
import { abortable } from '../source/abort.js';

/** @import { ReadOptions, Source } from '../types.js' */

/** What is skipped at least where a large value was. */
const LARGE = 64 * 1024;

/** Bytes by which distances differ that count as equal: the digits of names and lengths. */
const ALIKE = 128;

/** A guess reaches so far before and behind what is expected, as small differences add up. */
const SLACK = 512;
const LENGTH = 4096;

/** The most guesses that are not used yet; half a dozen requests run at once. */
const MOST = 6;
/** The first guesses; one more for each that was right. */
const FIRST = 2;

/** Distances that are remembered, and how many of them may be repeated. */
const REMEMBERED = 48;
const PERIOD = 16;

/** @typedef {Pick<Source, 'read'>} Reader */
/** @typedef {{ offset: number, end: number, bytes: Promise<Uint8Array | void> }} Guess */

/** @param {number | undefined} a @param {number | undefined} b */
const alike = (a, b) => a !== undefined && b !== undefined && Math.abs(a - b) <= ALIKE;

/**
 * After how many distances they repeat: those with which the longest run at the end does; 0: they
 * do not. Two equal ones are enough for a period of one, a longer one needs two of its distances again.
 * And how long that run is.
 *
 * @param {number[]} distances
 */
export function repetition(distances) {
  let [best, longest] = [0, 0];
  for (let period = 1; period <= PERIOD; period++) {
    let run = 0;
    while (alike(distances.at(-1 - run), distances.at(-1 - run - period))) run++;
    if (run >= Math.min(period, 2) && run > longest) [best, longest] = [period, run];
  }
  return { period: best, run: longest };
}

class EqualJumps {
  #source;
  #size;
  #isFar;
  /** Not used yet, in their order; and the one that was used last. @type {Guess[]} */
  #guesses = [];
  /** @type {Guess | undefined} */
  #used;
  #controller = new AbortController();
  /** @type {number[]} from the end of one large value to that of the next */
  #distances = [];
  /** The end of the last large value, and of what was read last. */
  #landing = 0;
  #end = 0;
  /** Guesses that were right since one was not, and in all; and those that were wrong. */
  #row = 0;
  #right = 0;
  #wrong = 0;

  /** @param {Reader} source @param {number} size @param {(distance: number) => boolean} isFar */
  constructor(source, size, isFar) {
    this.#source = source;
    this.#size = size;
    this.#isFar = isFar;
  }

  /**
   * What is guessed at `offset`; fewer bytes than `length` where the guess ends before.
   *
   * @param {number} offset
   * @param {number} length
   * @param {ReadOptions} [options]
   * @returns {Promise<Uint8Array | undefined>} undefined: it was not guessed, or could not be read
   */
  async at(offset, length, options) {
    if (offset < this.#end) this.#forget(offset);
    else if (offset - this.#end >= LARGE) this.#land(offset);
    this.#end = offset + length;
    const guess = this.#used;
    if (!guess || offset < guess.offset || offset >= guess.end) return undefined;
    const begin = offset - guess.offset;
    const bytes = (await abortable(guess.bytes, options?.signal))?.subarray(begin, begin + length);
    this.#end = offset + (bytes?.length || length);
    return bytes?.length ? bytes : undefined;
  }

  /** @param {number} offset behind a large value */
  #land(offset) {
    this.#distances = [...this.#distances, offset - this.#landing].slice(-REMEMBERED);
    this.#landing = offset;
    const i = this.#guesses.findIndex((one) => offset >= one.offset && offset < one.end);
    if (i < 0) this.#miss();
    else this.#hit(i);
    const { period, run } = repetition(this.#distances);
    const isProved = run >= Math.max(MOST, period + 2);
    if (period && (this.#wrong < this.#right + MOST || isProved)) this.#guess(offset, this.#distances.slice(-period));
  }

  /** @param {number} i those before were wrong */
  #hit(i) {
    this.#used = this.#guesses[i];
    this.#guesses = this.#guesses.slice(i + 1);
    this.#wrong += i;
    this.#right++;
    this.#row++;
  }

  #miss() {
    this.#wrong += this.#guesses.length;
    this.#row = 0;
    this.stop();
  }

  /** @param {number} landing @param {number[]} coming the distances that follow, again and again */
  #guess(landing, coming) {
    const { signal } = this.#controller;
    const most = Math.min(MOST, FIRST + this.#row);
    let asked = this.#guesses.at(-1)?.end ?? landing;
    for (let i = 0, at = landing; i < most; i++) {
      const distance = Number(coming[i % coming.length]);
      at += distance;
      if (at >= this.#size || !this.#isFar(distance)) break;
      if (at < asked) continue;
      const [offset, end] = [at - SLACK, Math.min(this.#size, at + LENGTH + SLACK)];
      const bytes = this.#source.read(offset, end - offset, { signal }).catch(() => {});
      this.#guesses.push({ offset, end, bytes });
      asked = end;
    }
  }

  /** Begins anew, of bytes before those that were read. @param {number} offset */
  #forget(offset) {
    this.#miss();
    this.#distances = [];
    this.#landing = offset;
  }

  /** Gives up what is under way. */
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
 * @param {(distance: number) => boolean} isFar whether a value so long is worth a guess
 */
export const equalJumps = (source, size, isFar) => new EqualJumps(source, size, isFar);

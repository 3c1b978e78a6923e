/**
 * Guesses where the next of many large values ends. Only the length in front of a value tells where it ends, so a
 * walk over values waits for one response before the next request. But layers repeat or grow, and so do the distances
 * from the end of one value to the end of the next (progressions.js). If they do, the next places are requested at
 * once. Only the place to read is guessed: the walk itself still goes from length to length. A wrong guess costs a
 * request of 5 KiB, or of as many bytes as were read after the previous values. When MOST more guesses were wrong than
 * right, guessing stops, except for distances that have been predicted correctly for long.
 */
import { abortable } from '../source/abort.js';
import { goingOn } from './progressions.js';

/** @import { ReadOptions, Source } from '../types.js' */
/** @import { Jump } from './progressions.js' */

/** A jump of at least this length skips a large value. */
const LARGE = 64 * 1024;

/** A guess reaches so far before and behind what is expected, as small differences add up. */
const SLACK = 512;
/** The smallest request, and the largest if as much was read after the previous value. */
const LENGTH = 4096;
const LONGEST = 64 * 1024;

/** The most guesses that are not used yet. */
const MOST = 10;
/** The first guesses; two more for each jump that was told. */
const FIRST = 2;

/** The most bytes of wrong ones. */
const WASTED = 2 ** 21;

/** Jumps that are remembered. */
const REMEMBERED = 96;

/** @typedef {Pick<Source, 'read'>} Reader */
/** @typedef {{ offset: number, end: number, bytes: Promise<Uint8Array | void> }} Guess */

class EqualJumps {
  #source;
  #size;
  #isFar;
  /** Not used yet, in their order; and the one that was used last. @type {Guess[]} */
  #guesses = [];
  /** @type {Guess | undefined} */
  #used;
  #controller = new AbortController();
  /** @type {Jump[]} from the end of one large value to that of the next */
  #jumps = [];
  /** The end of the last large value; where what was read last begins and ends. */
  #landing = 0;
  #last = 0;
  #end = 0;
  /** Guesses that were right, and those that were wrong, and their bytes. */
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
   * The guessed bytes at `offset`; fewer than `length` if the guess ends earlier.
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
    this.#last = offset;
    const guess = this.#used;
    if (!guess || offset < guess.offset || offset >= guess.end) return undefined;
    const begin = offset - guess.offset;
    const bytes = (await abortable(guess.bytes, options?.signal))?.subarray(begin, begin + length);
    this.#end = offset + (bytes?.length || length);
    return bytes?.length ? bytes : undefined;
  }

  /** @param {number} offset behind a large value */
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

  /** @param {number} i those before were wrong */
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

  /** Begins anew, of bytes before those that were read. @param {number} offset */
  #forget(offset) {
    this.#miss();
    this.#jumps = [];
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

/**
 * Guesses where the next of many large values ends. Only the length in front of a value shows where it ends, so a
 * search must wait for each answer before its next request. But layers repeat or grow, and so do the distances from the
 * end of one value to the end of the next (progressions.js): if they do, the next places are requested at once. A guess
 * only determines where to read: the search itself still goes from length to length. A wrong guess costs a request of 5
 * KiB, or of the bytes read after earlier values. While wrong guesses outnumber right ones by MOST, no more are made,
 * except for distances that have long been predicted correctly.
 */
import { abortable } from '../source/abort.js';
import { goingOn } from './progressions.js';

/** @import { ReadOptions, Source } from '../types.js' */
/** @import { Jump } from './progressions.js' */

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

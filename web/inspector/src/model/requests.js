/** Reports fetched ranges and progress to the page. */
import { CpbError } from 'libcpb';

/**
 * @typedef {{ offset: number, length: number, beside?: string }} Fetched a range of the
 *   model, or of a file beside it
 * @typedef {{ done: number, total: number }} Part bytes
 * @typedef {object} News
 * @property {Fetched[]} ranges that came since the last news
 * @property {Part} coming progress of the requests that are under way
 * @property {Part | undefined} work progress of data that is read as a whole, such as an array
 */

/** Most bytes that questions may read as streams, which also bring the bytes in between; the rest is read in pieces. */
const STREAMED = 64 * 2 ** 20;

/** Milliseconds between reports to the page. */
const EVERY = 60;

export class Requests {
  /** @type {Fetched[]} */
  #ranges = [];
  /** @type {Set<Part>} */
  #running = new Set();
  /** @type {Part | undefined} */
  #work;
  #timer = 0;
  #tell;
  /** @type {import('./budget.js').Budget | undefined} of the answer that is looked for */
  #budget;
  /** How much is read that was asked for meanwhile. */
  #asked = 0;
  #streamed = 0;

  /** @param {(news: News) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /**
   * How one that has begun is sent. Chrome's cache answers the ranges of one URL one by one: those
   * beside another pass it by.
   *
   * @param {RequestInit} init
   * @returns {RequestInit}
   */
  sent(init) {
    return this.#running.size > 1 ? { ...init, cache: 'no-store' } : init;
  }

  /** Tells the page now. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const coming = { done: 0, total: 0 };
    for (const { done, total } of this.#running) {
      coming.done += done;
      coming.total += total;
    }
    this.#tell({ ranges: this.#ranges, coming, work: this.#work });
    this.#ranges = [];
  }

  #soon() {
    this.#timer ||= /** @type {any} */ (setTimeout(() => this.flush(), EVERY));
  }

  /** A request that has ended. @param {Fetched} range */
  add(range) {
    this.#ranges.push(range);
    this.#soon();
  }

  /**
   * Charges reads during `act` to a budget, except those that the reader asked for in the meantime.
   *
   * @template T
   * @param {import('./budget.js').Budget} budget
   * @param {() => Promise<T>} act
   */
  async within(budget, act) {
    this.#budget = budget;
    try {
      return await act();
    } finally {
      this.#budget = undefined;
    }
  }

  /** @template T @param {() => Promise<T>} act that was asked for */
  async freely(act) {
    this.#asked++;
    try {
      return await act();
    } finally {
      this.#asked--;
    }
  }

  /** Whether a stream may be read. @param {number} length */
  streams(length) {
    if (this.#asked) return true;
    this.#streamed += length;
    return this.#streamed <= STREAMED;
  }

  /** A request that is about to be sent: an error if it must not. @param {Fetched} range */
  allow(range) {
    const price = this.#asked ? undefined : this.#budget?.pay(range);
    if (price) throw Object.assign(new CpbError('BUDGET', 'nobody asked for it, and it costs more'), { price });
  }

  /** A request that begins. @param {Fetched} range */
  begin({ offset, length, beside }) {
    this.allow({ offset, length, beside });
    const part = { done: 0, total: length };
    this.#running.add(part);
    return {
      /** @param {number} more bytes */
      got: (more) => {
        part.done += more;
        this.#soon();
      },
      end: () => {
        if (this.#running.delete(part) && part.done) this.add({ offset, length: part.done, beside });
      },
    };
  }

  /** How far something is that takes longer; undefined: it has ended. @param {Part} [part] */
  work(part) {
    this.#work = part;
    this.#soon();
  }
}

/** Reports requests and their progress to the page. */
import { CpbError } from 'libcpb';

/**
 * @typedef {{ offset: number, length: number, beside?: string }} Fetched a range of the model, or of a file next to it
 * @typedef {{ done: number, total: number }} Part bytes
 * @typedef {object} News
 * @property {Fetched[]} ranges received since the last report
 * @property {Part} coming progress of the running requests: received, and expected
 * @property {Part | undefined} work of a value that is read as a whole, such as an array
 */

/** The largest stream that questions may read, including unneeded bytes between; the rest is read piece by piece. */
const STREAMED = 64 * 2 ** 20;

/** The time between reports, in milliseconds. */
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
  /** @type {import('./budget.js').Budget | undefined} of the current answer */
  #budget;
  /** The bytes read on request in the meantime. */
  #asked = 0;
  #streamed = 0;

  /** @param {(news: News) => void} tell */
  constructor(tell) {
    this.#tell = tell;
  }

  /**
   * How a running request was sent. Chrome's cache answers the ranges of one URL one by one, so parallel ranges bypass
   * it.
   *
   * @param {RequestInit} init @returns {RequestInit}
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
   * Reads during `act` are paid for, except for those requested by the reader in the meantime.
   *
   * @template T @param {import('./budget.js').Budget} budget @param {() => Promise<T>} act
   */
  async within(budget, act) {
    this.#budget = budget;
    try {
      return await act();
    } finally {
      this.#budget = undefined;
    }
  }

  /** @template T @param {() => Promise<T>} act requested by the reader */
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

  /** Called before a request is sent; throws if it is not allowed. @param {Fetched} range */
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

  /** The progress of longer work; undefined: it has ended. @param {Part} [part] */
  work(part) {
    this.#work = part;
    this.#soon();
  }
}

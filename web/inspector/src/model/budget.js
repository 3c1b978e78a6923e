/**
 * The limit for reads without a request by the reader; for a larger answer the page shows the cost, and reads it only
 * if that is accepted.
 */
/** @typedef {{ requests: number, bytes: number }} Cost */

/** Requests, more if the whole file will be there soon; and bytes: a hundredth of the file, within these bounds. */
const [REQUESTS, MORE, SMALL] = [100, 250, 64 * 2 ** 20];
const [LEAST, MOST] = [4 * 2 ** 20, 8 * 2 ** 20];

/**
 * @param {number} size of the model, in bytes
 * @returns {Cost}
 */
export const budgetOf = (size) => ({
  requests: size <= SMALL ? MORE : REQUESTS,
  bytes: Math.min(MOST, Math.max(LEAST, size / 100)),
});

export class Budget {
  /** @type {Cost} */
  #most;
  #size;
  /** @type {Cost} */
  #spent = { requests: 0, bytes: 0 };
  #begin = Infinity;
  #end = 0;

  /** @param {number} size of the model, in bytes */
  constructor(size) {
    this.#size = size;
    this.#most = budgetOf(size);
  }

  /** Pays for a request, or estimates the cost of the rest from the reads so far.
   * @param {{ offset: number, length: number, beside?: string }} range @returns {Cost | undefined} */
  pay({ offset, length, beside }) {
    const { requests, bytes } = this.#spent;
    if (requests >= this.#most.requests || bytes + length > this.#most.bytes) return this.#price(beside ? length : 0);
    this.#spent = { requests: requests + 1, bytes: bytes + length };
    if (beside) return undefined;
    this.#begin = Math.min(this.#begin, offset);
    this.#end = Math.max(this.#end, offset + length);
    return undefined;
  }

  /** @param {number} beside bytes of another file */
  #price(beside) {
    const { requests, bytes } = this.#spent;
    const times = beside ? 0 : (this.#size - this.#end) / Math.max(1, this.#end - this.#begin);
    return { requests: Math.ceil(requests * times) + 1, bytes: Math.min(this.#size, bytes * times) + beside };
  }
}

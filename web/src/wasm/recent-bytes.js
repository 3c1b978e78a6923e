/** Bytes of a source that were fetched last and may be needed again, within a bound. */

/** @typedef {{ offset: number, bytes: Uint8Array }} Piece */

/** The most pieces: each is looked at before more is fetched. A small one cost a request like a large one. */
const MANY = 4096;

export class RecentBytes {
  #most;
  /** @type {Piece[]} the one used last comes first */
  pieces = [];
  /** Bytes of all of them. */
  #size = 0;

  /** @param {number} most bytes; the last piece is kept even if it is longer */
  constructor(most) {
    this.#most = most;
  }

  /** @param {number} offset @param {Uint8Array} bytes */
  add(offset, bytes) {
    const pieces = this.pieces;
    if (bytes.length > 0) pieces.unshift({ offset, bytes });
    this.#size += bytes.length;
    while (pieces.length > 1 && (this.#size > this.#most || pieces.length > MANY))
      this.#size -= pieces.pop()?.bytes.length ?? 0;
  }

  /** @param {number} offset */
  #indexOf(offset) {
    return this.pieces.findIndex((p) => offset >= p.offset && offset < p.offset + p.bytes.length);
  }

  /** What there is from `offset` on, in one piece. @param {number} offset */
  at(offset) {
    const pieces = this.pieces;
    const i = this.#indexOf(offset);
    const piece = pieces[i];
    if (i > 0) pieces.unshift(...pieces.splice(i, 1));
    return piece?.bytes.subarray(offset - piece.offset);
  }
}

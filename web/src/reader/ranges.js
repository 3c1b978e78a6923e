/** Ranges of a message that are read as one, such as the parts that a parser merges. */
import { concat } from '../bytes.js';
import { join } from '../middleware/join.js';
import { piecesOf } from '../source/pieces.js';

/** @import { Range } from '../types.js' */
/** @import { Body, BodyOptions } from './merged-body.js' */

/** The largest read for several ranges. */
const WINDOW = 2 ** 20;

/**
 * The contents of the ranges, in pieces: ranges that are close together are read together.
 *
 * @param {Body} body
 * @param {Range[]} ranges in the order of the message
 * @param {BodyOptions} [options]
 * @returns {AsyncGenerator<Uint8Array>}
 */
export async function* gathered(body, ranges, options) {
  for (const { offset, length, members } of join(ranges, { gap: body.gap, maxBytes: WINDOW })) {
    if (members.length === 1) {
      yield* piecesOf(body.stream(offset, length, options));
      continue;
    }
    const bytes = await body.read(offset, length, options);
    yield concat(members.map((member) => bytes.subarray(member.offset - offset).subarray(0, member.length)));
  }
}

/**
 * The ranges as one: which of them has a given byte, and which ranges correspond to a range of the whole.
 *
 * @param {Range[]} ranges
 */
export function asOne(ranges) {
  let size = 0;
  const ends = ranges.map(({ length }) => (size += length));

  /** @param {number} i */
  const endOf = (i) => ends[i] ?? size;

  /** The first range that ends after `offset`. @param {number} offset */
  function indexOf(offset) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if (endOf(middle) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    size,

    /** The rest of a range, from one of its bytes on. @param {number} offset @returns {Range | undefined} */
    at(offset) {
      const i = indexOf(offset);
      const range = ranges[i];
      if (!range) return undefined;
      const skip = offset - (endOf(i) - range.length);
      return { offset: range.offset + skip, length: range.length - skip };
    },

    /** Bytes [offset, offset + length). @param {number} offset @param {number} length @returns {Range[]} */
    slice(offset, length) {
      /** @type {Range[]} */
      const found = [];
      for (let i = indexOf(offset), at = offset; i < ranges.length && at < offset + length; i++) {
        const range = /** @type {Range} */ (ranges[i]);
        const end = endOf(i);
        const n = Math.min(end, offset + length) - at;
        if (n > 0) found.push({ offset: range.offset + range.length - (end - at), length: n });
        at = end;
      }
      return found;
    },
  };
}

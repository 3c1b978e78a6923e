/** Ranges of a message that are read as one, such as the parts that a parser merges. */
import { concat } from '../bytes.js';
import { join } from '../middleware/join.js';
import { piecesOf } from '../source/pieces.js';
import { structs } from './structs.js';

/** @import { Range } from '../types.js' */
/** @import { Scope } from '../wasm/instance.js' */
/** @import { Body, BodyOptions } from './merged-body.js' */
/** @import { OpenFile } from './open-file.js' */

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
 * The ranges as an array of cpb_range.
 *
 * @param {OpenFile} file
 * @param {Scope} scope
 * @param {Range[]} ranges
 */
export function rangesIn({ instance }, scope, ranges) {
  const list = scope.alloc(16 * ranges.length);
  ranges.forEach((range, i) => instance.set(structs.range, list + 16 * i, range));
  return list;
}

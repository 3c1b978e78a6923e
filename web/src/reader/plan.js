/** Computes the cost of a read. */
import { sumOf } from '../bytes.js';
import { CpbError } from '../errors.js';
import { joined } from './chunk-ranges.js';

/** @import { Range } from '../types.js' */
/** @import { FileRange } from './chunk-ranges.js' */
/** @import { Body, BodyOptions, Merged } from './merged-body.js' */

/**
 * The data to read: chunks (requested at once), ranges of the (merged) message, such as a field's, or all of it as a
 * stream.
 * @typedef {{ chunks: number[] } | Range | { ranges: Range[] } | { merged: true }} Reading
 */

/**
 * The cost of a read.
 * @typedef {object} Plan
 * @property {number} requests
 * @property {number} bytes
 * @property {FileRange[]} ranges of the file, or of others that it refers to, one per request. Another file's size is
 *   requested on its first read, which is not in the plan
 */

/**
 * @param {Body} body
 * @param {Merged | undefined} merged
 * @param {Reading} what
 * @param {BodyOptions} [options]
 * @returns {Promise<Plan>}
 */
export async function planOf(body, merged, what, options) {
  const found = merged ? rangesOf(merged, what, options) : rangesOfPlain(body, what, options);
  const ranges = (await found).filter(({ length }) => length > 0);
  return { requests: ranges.length, bytes: sumOf(ranges), ranges };
}

/**
 * @param {Merged} merged
 * @param {Reading} what
 * @param {BodyOptions} [options]
 */
async function rangesOf(merged, what, options) {
  if ('chunks' in what) return joined(what.chunks.map(merged.rangeOf));
  if ('merged' in what) return merged.windows();
  /** @type {FileRange[]} */
  const ranges = [];
  for (const { offset, length } of 'ranges' in what ? what.ranges : [what]) {
    ranges.push(...(await merged.rangesOf(offset, length, options)));
  }
  return joined(ranges);
}

/**
 * @param {Body} body
 * @param {Reading} what
 * @param {BodyOptions} [options]
 */
async function rangesOfPlain(body, what, options) {
  if ('chunks' in what) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
  if ('merged' in what) return [{ offset: 0, length: await body.size(options) }];
  return 'ranges' in what ? what.ranges : [what];
}

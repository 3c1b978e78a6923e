/** What reading something will cost, and how far reads are joined so that it is so. */
import { CpbError } from '../errors.js';
import { join } from '../middleware/coalesce.js';
import { chunkInfo } from './chunks.js';

/** @import { Range, ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile } from './file.js' */
/** @import { Body, Merged } from './virtual.js' */

/**
 * What is to be read: chunks (asked for at once), a range of the (merged) message,
 * or all of it as a stream.
 * @typedef {{ chunks: number[] } | { ranges: Range[] } | { merged: true }} Reading
 */

/**
 * What reading something will cost.
 * @typedef {object} Plan
 * @property {number} requests
 * @property {number} bytes
 * @property {Range[]} ranges of the file, one a request
 */

/** What a merged stream asks for at a time. */
export const WINDOW = 4 * 2 ** 20;

/** Less than a Riegeli chunk's header: positions so near are in one Riegeli chunk. */
const NEAR = 40;

/**
 * Where the chunks are stored, by what the index says of all of them; nothing is read.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 * @returns {(i: number) => Range} the Riegeli chunk that chunk i is in
 */
export function placesOf(file, index) {
  const { instance } = file;
  const last = instance.scope((scope) => {
    const out = scope.struct('riegeli_chunk');
    index.call('get_record', scope.struct('record'), out);
    return instance.get('riegeli_chunk', out);
  });
  const position = (/** @type {number} */ i) => chunkInfo(file, index, i).position;
  const sorted = Float64Array.from({ length: index.call('num_chunks') }, (_, i) =>
    position(i),
  ).sort();
  const begins = sorted.filter((p, i) => i === 0 || p - Number(sorted[i - 1]) >= NEAR);

  return (i) => {
    const at = position(i);
    if (at >= last.begin) return { offset: last.begin, length: last.end - last.begin };
    let low = 0,
      high = begins.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (Number(begins[middle]) <= at) low = middle;
      else high = middle;
    }
    const offset = Number(begins[low]);
    return { offset, length: Math.min(begins[low + 1] ?? Infinity, last.begin) - offset };
  };
}

/**
 * @param {Range[]} all
 * @returns {Plan}
 */
function planFor(all) {
  const ranges = all.filter(({ length }) => length > 0);
  const bytes = ranges.reduce((sum, { length }) => sum + length, 0);
  return { requests: ranges.length, bytes, ranges };
}

/**
 * @param {Range[]} ranges
 * @param {number} [maxBytes]
 * @returns {Range[]}
 */
export const joined = (ranges, maxBytes) =>
  join(ranges, maxBytes ? { maxBytes } : {}).map(({ offset, length }) => ({ offset, length }));

/**
 * @param {Body} body
 * @param {Merged | undefined} merged
 * @param {Reading} what
 * @param {ReadOptions} [options]
 * @returns {Promise<Plan>}
 */
export async function planOf(body, merged, what, options) {
  if ('chunks' in what) {
    if (!merged) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
    return planFor(joined(what.chunks.map(merged.place)));
  }
  if (!merged) {
    return planFor(
      'merged' in what ? [{ offset: 0, length: await body.size(options) }] : what.ranges,
    );
  }
  if ('merged' in what) return planFor(merged.windows());
  const chunks = new Set();
  for (const { offset, length } of what.ranges) {
    for (const { chunk } of await merged.segments(offset, length, options)) {
      if (chunk !== undefined) chunks.add(chunk);
    }
  }
  return planFor(joined([...chunks].map(merged.place)));
}

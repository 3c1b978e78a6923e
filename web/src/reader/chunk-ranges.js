/** Which ranges of the file have the chunks, and how far reads of them are joined. */
import { join } from '../middleware/coalesce.js';
import { chunkInfo } from './chunks.js';

/** @import { Range } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile } from './open-file.js' */

/** How much a merged stream requests at a time. */
export const WINDOW = 4 * 2 ** 20;

/** The size of a Riegeli chunk's header: positions closer than that are in the same Riegeli chunk. */
const NEAR = 40;

/**
 * Where the chunks are stored, according to the index; nothing is read.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 */
export function chunkRangesOf(file, index) {
  const { instance } = file;
  const last = instance.scope((scope) => {
    const out = scope.struct('riegeli_chunk');
    index.call('get_record', scope.struct('record'), out);
    return instance.get('riegeli_chunk', out);
  });
  const inLast = { offset: last.begin, length: last.end - last.begin };
  const position = (/** @type {number} */ i) => chunkInfo(file, index, i).position;
  const sorted = Float64Array.from({ length: index.call('num_chunks') }, (_, i) => position(i)).sort();
  const begins = sorted.filter((at, i) => at < last.begin && (i === 0 || at - Number(sorted[i - 1]) >= NEAR));
  /** @type {Range[]} */
  const all = Array.from(begins, (offset, i) => ({
    offset,
    length: (begins[i + 1] ?? last.begin) - offset,
  }));
  if (Number(sorted.at(-1)) >= last.begin) all.push(inLast);
  return {
    /** The Riegeli chunks that hold chunks. */
    all,
    /** The Riegeli chunk that chunk i is in. @param {number} i */
    of: (i) => rangeAt(all, position(i)) ?? inLast,
  };
}

/**
 * The range that holds a byte.
 *
 * @param {Range[]} ranges in their order
 * @param {number} offset
 */
export function rangeAt(ranges, offset) {
  let low = 0,
    high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { offset: begin, length } = /** @type {Range} */ (ranges[middle]);
    if (offset >= begin + length) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range && offset >= range.offset ? range : undefined;
}

/**
 * @param {Range[]} ranges
 * @param {number} [maxBytes]
 * @returns {Range[]}
 */
export const joined = (ranges, maxBytes) =>
  join(ranges, { maxBytes }).map(({ offset, length }) => ({ offset, length }));

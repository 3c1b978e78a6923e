/** The ranges of the file that have the chunks, and how far reads of them are joined. */
import { join } from '../middleware/join.js';
import { chunkInfo } from './chunks.js';
import { otherFiles } from './other-file.js';
import { structs } from './structs.js';

/** @import { Range } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile } from './open-file.js' */

/** How much a merged stream requests at a time. */
export const WINDOW = 4 * 2 ** 20;

/** The size of a Riegeli chunk's header: positions closer than that are in the same Riegeli chunk. */
const NEAR = 40;

/**
 * A range of the file, or of another one by its name.
 * @typedef {Range & { file?: string }} FileRange
 */

/**
 * Where the chunks are stored, according to the index; nothing is read.
 *
 * @param {OpenFile} file @param {Engine} index
 */
export function chunkRangesOf(file, index) {
  const { instance } = file;
  const last = indexRange(file, index);
  const count = index.call('num_chunks');
  const positions = new Float64Array(count);
  const files = new Uint32Array(count);
  const others = otherFiles(instance, index);
  /** @type {number[][]} */
  const byFile = [[], ...others.map(() => [])];
  for (let i = 0; i < count; i++) {
    const { position, file: other } = chunkInfo(file, index, i);
    positions[i] = position;
    files[i] = other;
    byFile[other]?.push(position);
  }
  /** @type {FileRange[][]} */
  const all = byFile.map((list, other) => {
    const sorted = Float64Array.from(list).sort();
    const { name, size } = others[other - 1] ?? {};
    if (size !== undefined) return rangesFrom(sorted, size).map((range) => ({ ...range, file: name }));
    const own = rangesFrom(sorted, last.offset);
    return Number(sorted.at(-1)) >= last.offset ? [...own, last] : own;
  });
  return {
    /** The Riegeli chunks that hold chunks, file after file. */
    all: all.flat(),
    /** The result of `joined`, by the numbers of the files. @param {FileRange[]} ranges */
    byFile: (ranges) => all.map((_, other) => ranges.filter((range) => range.file === others[other - 1]?.name)),
    /** The Riegeli chunk that chunk i is in. @param {number} i @returns {FileRange} */
    of(i) {
      const other = files[i] ?? chunkInfo(file, index, i).file;
      return rangeAt(all[other] ?? [], positions[i] ?? 0) ?? last;
    },
  };
}

/** The range of the Riegeli chunk that has the index. @param {OpenFile} file @param {Engine} index @returns {Range} */
function indexRange({ instance }, index) {
  const { begin, end } = instance.scope((scope) => {
    const out = scope.struct(structs.riegeli_chunk);
    index.call('get_record', scope.struct(structs.record), out);
    return instance.get(structs.riegeli_chunk, out);
  });
  return { offset: begin, length: end - begin };
}

/**
 * The Riegeli chunks that hold these records, before `end`.
 *
 * @param {Float64Array} sorted @param {number} end @returns {Range[]}
 */
function rangesFrom(sorted, end) {
  const begins = sorted.filter((at, i) => at < end && (i === 0 || at - Number(sorted[i - 1]) >= NEAR));
  return Array.from(begins, (offset, i) => ({ offset, length: (begins[i + 1] ?? end) - offset }));
}

/**
 * The range that holds a byte.
 *
 * @template {Range} T
 * @param {T[]} ranges of one file, in their order
 * @param {number} offset
 */
export function rangeAt(ranges, offset) {
  let low = 0,
    high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { offset: begin, length } = /** @type {T} */ (ranges[middle]);
    if (offset >= begin + length) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range && offset >= range.offset ? range : undefined;
}

/**
 * The joined reads of these ranges, file after file.
 *
 * @param {FileRange[]} ranges @param {number} [maxBytes] @returns {FileRange[]}
 */
export function joined(ranges, maxBytes) {
  /** @type {Map<string | undefined, Range[]>} */
  const byFile = new Map();
  for (const range of ranges) {
    const those = byFile.get(range.file);
    if (those) those.push(range);
    else byFile.set(range.file, [range]);
  }
  return [...byFile].flatMap(([file, those]) =>
    join(those, { maxBytes }).map(({ offset, length }) => ({ offset, length, ...(file !== undefined && { file }) })),
  );
}

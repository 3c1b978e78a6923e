/** Parts of arrays, as slices of NumPy name them: `[0, :, 3]`. */

/** All in one. @param {Uint8Array[]} parts */
export function concat(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * The indices of one dimension that a slice takes; alone: an index, which removes the dimension.
 * @typedef {{ start: number, count: number, step: number, alone?: boolean }} Range
 */

/** An index, or a slice of a dimension. */
const ITEM = /^(-?\d+)?(?:(:)(-?\d+)?(?::(-?\d+)?)?)?$/;

/** @param {string} why */
const wrong = (why) => Object.assign(new Error(why), { code: 'SLICE' });

/** @param {string} item @param {number} size @returns {Range} */
function rangeOf(item, size) {
  const [all, first, colon, last, by] = ITEM.exec(item) ?? [];
  if (!all) throw wrong(`"${item}" is neither an index nor a slice`);
  const from = (/** @type {string} */ text) => Number(text) + (text.startsWith('-') ? size : 0);
  if (!colon) {
    const start = from(all);
    if (start < 0 || start >= size) throw wrong(`the index ${all} is outside a dimension of ${size}`);
    return { start, count: 1, step: 1, alone: true };
  }
  const step = Number(by ?? 1);
  if (!step) throw wrong('the step of a slice cannot be 0');
  const [least, most] = step < 0 ? [-1, size - 1] : [0, size];
  const within = (/** @type {string | undefined} */ text, /** @type {number} */ missing) =>
    text === undefined ? missing : Math.min(most, Math.max(least, from(text)));
  const start = within(first, step < 0 ? most : least);
  const end = within(last, step < 0 ? least : most);
  return { start, count: Math.max(0, Math.ceil((end - start) / step)), step };
}

/**
 * The indices that a slice takes of each dimension: all of a dimension without a name in the slice.
 *
 * @param {string} text '' for all
 * @param {number[]} shape
 * @returns {Range[]}
 */
export function rangesOf(text, shape) {
  const inner = text.trim().replace(/^\[(.*)\]$/s, '$1');
  const items = inner.trim() ? inner.split(',').map((one) => one.replace(/\s+/g, '')) : [];
  if (items.at(-1) === '') items.pop();
  const rest = items.indexOf('...');
  const named = items.length - (rest < 0 ? 0 : 1);
  if (named > shape.length) throw wrong(`the array has ${shape.length} dimensions, and the slice ${named}`);
  const others = Array.from({ length: shape.length - named }, () => ':');
  items.splice(rest < 0 ? items.length : rest, rest < 0 ? 0 : 1, ...others);
  return items.map((item, i) => rangeOf(item, Number(shape[i])));
}

/** @param {Range[]} ranges @returns {number[]} */
export const shapeOf = (ranges) => ranges.filter(({ alone }) => !alone).map(({ count }) => count);

/** How far apart the elements of each dimension are. @param {number[]} shape @param {boolean} [fortran] */
function stepsOf(shape, fortran) {
  const steps = shape.map(() => 1);
  const order = shape.map((_, i) => (fortran ? i : shape.length - 1 - i));
  let step = 1;
  for (const i of order) {
    steps[i] = step;
    step *= Number(shape[i]);
  }
  return steps;
}

/**
 * Indices of a dimension, in the order of the file.
 *
 * @typedef {{ count: number, from: number, by: number, to: number }} Loop
 */

/** Joins dimensions that are taken as a whole with the ones around them. @param {Loop[]} loops the outermost first */
function joined(loops) {
  /** @type {Loop[]} */
  const all = [];
  for (const one of loops) {
    const outer = all.at(-1);
    if (outer && outer.by === one.by * one.count && outer.to === one.to * one.count)
      all.splice(-1, 1, { ...one, from: outer.from + one.from, count: outer.count * one.count });
    else all.push(one);
  }
  return all;
}

/**
 * Picks a part of an array from its bytes, as they arrive in the order of the file, and puts it in row-major order.
 */
export class Picker {
  /** @type {Loop[]} */
  #loops;
  /** @type {number[]} how far each loop is */
  #at;
  #from = 0;
  #to = 0;
  /** the offset of the first byte that was not used */
  #offset = 0;
  #kept = new Uint8Array();

  /** @param {{ shape: number[], itemSize: number, fortranOrder?: boolean }} array @param {Range[]} ranges */
  constructor({ shape, itemSize, fortranOrder }, ranges) {
    const count = ranges.reduce((all, one) => all * one.count, 1);
    this.size = itemSize;
    this.bytes = new Uint8Array(count * itemSize);
    this.done = count === 0;
    const from = stepsOf(shape, fortranOrder);
    const to = stepsOf(ranges.map((one) => one.count));
    const loops = ranges.map(({ start, count, step }, i) => {
      const [by, next] = [Number(from[i]), Number(to[i])];
      if (step > 0) return { count, from: start * by, by: step * by, to: next };
      this.#to += (count - 1) * next; // backwards: its last element comes first
      return { count, from: (start + (count - 1) * step) * by, by: -step * by, to: -next };
    });
    this.#loops = joined(fortranOrder ? loops.reverse() : loops);
    if (!this.#loops.length) this.#loops.push({ count: 1, from: 0, by: 1, to: 1 });
    this.#from = this.#loops.reduce((sum, one) => sum + one.from, 0);
    this.#at = this.#loops.map(() => 0);
  }

  /**
   * @param {Uint8Array} piece the next bytes
   * @returns {boolean} whether no more are needed
   */
  take(piece) {
    const bytes = this.#kept.length ? concat([this.#kept, piece]) : piece;
    while (!this.done && this.#run(bytes)) this.#next();
    const used = this.done ? bytes.length : Math.min(bytes.length, this.#from * this.size - this.#offset);
    this.#kept = bytes.slice(used);
    this.#offset += used;
    return this.done;
  }

  /** The innermost loop, as far as there are bytes. @param {Uint8Array} bytes @returns whether it has ended */
  #run(bytes) {
    const { size } = this;
    const last = this.#loops.length - 1;
    const { count, by, to } = /** @type {Loop} */ (this.#loops[last]);
    const isRun = by === 1 && to === 1;
    for (let i = Number(this.#at[last]); i < count;) {
      const begin = this.#from * size - this.#offset;
      const n = isRun ? Math.min(count - i, Math.floor((bytes.length - begin) / size)) : 1;
      if (n < 1 || begin + n * size > bytes.length) return false;
      if (isRun) this.bytes.set(bytes.subarray(begin, begin + n * size), this.#to * size);
      else for (let b = 0; b < size; b++) this.bytes[this.#to * size + b] = /** @type {number} */ (bytes[begin + b]);
      this.#from += n * by;
      this.#to += n * to;
      this.#at[last] = i += n;
    }
    return true;
  }

  /** From the end of a loop to the next turn of the one around it. */
  #next() {
    for (let i = this.#loops.length - 1; i >= 0; i--) {
      const { count, by, to } = /** @type {Loop} */ (this.#loops[i]);
      const turns = Number(this.#at[i]);
      if (turns < count) return;
      this.#from -= turns * by;
      this.#to -= turns * to;
      this.#at[i] = 0;
      const outer = this.#loops[i - 1];
      if (!outer) break;
      this.#from += outer.by;
      this.#to += outer.to;
      this.#at[i - 1] = Number(this.#at[i - 1]) + 1;
    }
    this.done = true;
  }
}

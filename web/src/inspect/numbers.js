/** Statistics of arrays, and real values of quantized ones (cpb/statistics.h), of bytes in memory. */
import { CpbError } from '../errors.js';
import { structs } from './structs.js';

/** @import { Instance, Scope } from '../wasm/instance.js' */

/** The type and shape of an array, such as `values` of a model gives. @typedef {object} About
 * @property {string} dtype
 * @property {string} [numpy]
 * @property {number} itemSize
 * @property {number[]} shape
 * @property {number} count
 * @property {boolean} [fortranOrder]
 */
/** Scales or zero points. @typedef {{ about: About, bytes: Uint8Array }} Parameter */
/**
 * How numbers are quantized; axis: of a list, or of blocks; block: indices of it in a block, by default all are equal.
 *
 * @typedef {{ scale: Parameter, zero?: Parameter, axis?: number, block?: number }} Scales
 */

/** Bytes that are copied at once. */
const PIECE = 2 ** 16;

/** @param {Scope} scope @param {About} about */
const infoIn = (scope, { dtype, numpy, itemSize, shape, count, fortranOrder }) =>
  scope.struct(structs.values_info, {
    dtype: scope.string(dtype),
    numpy: numpy && scope.string(numpy),
    item_size: itemSize,
    rank: shape.length,
    shape: scope.bytes(new Uint8Array(BigUint64Array.from(shape, BigInt).buffer)),
    fortran_order: Number(fortranOrder ?? false),
    count,
    size: count * itemSize,
  });

/** @param {number} pointer */
function made(pointer) {
  if (!pointer) throw new CpbError('MEMORY', 'no memory for statistics');
  return pointer;
}

/**
 * @param {Instance} instance @param {Scope} scope @param {Uint8Array} bytes
 * @param {(pointer: number, size: number) => void} use
 */
function feed(instance, scope, bytes, use) {
  const block = scope.alloc(Math.min(PIECE, bytes.length));
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    instance.view(block, piece.length).set(piece);
    use(block, piece.length);
  }
}

/** @param {Instance} instance @param {number} reals @param {Scales} scales */
const setScales = (instance, reals, { scale, zero, axis = 0, block = 0 }) =>
  instance.scope((scope) => {
    const set = (/** @type {string} */ method, /** @type {Parameter} */ { about, bytes }) =>
      instance.c[method]?.(reals, BigInt(axis), BigInt(block), infoIn(scope, about), scope.bytes(bytes), bytes.length);
    set('cpb_reals_set_scales', scale);
    if (zero) set('cpb_reals_set_zero_points', zero);
  });

/** @param {Instance} instance */
export function numbersIn(instance) {
  const { c } = instance;
  return {
    /**
     * The answer of cpb_statistics_answer(). @param {About} about @param {Uint8Array} bytes @param {number} [axis] a
     * dimension whose parts have their own ranges
     * @returns {import('./answers.js').Statistics}
     */
    statistics: (about, bytes, axis) =>
      instance.scope((scope) => {
        const options = scope.struct(structs.statistics_options, { axis: axis === undefined ? 0 : axis + 1 });
        const statistics = made(c.cpb_statistics_new(0, infoIn(scope, about), options));
        try {
          feed(instance, scope, bytes, (pointer, size) => c.cpb_statistics_add(statistics, pointer, size));
          const size = scope.alloc(4);
          const answer = made(c.cpb_statistics_answer(statistics, size));
          return JSON.parse(instance.text(answer, instance.u32(size)));
        } finally {
          c.cpb_statistics_free(statistics);
        }
      }),

    /**
     * The real values, for the pieces of an array in their order; free them.
     * @param {About} about @param {Scales} [scales] of quantized numbers
     */
    reals(about, scales) {
      const reals = made(instance.scope((scope) => c.cpb_reals_new(0, infoIn(scope, about))));
      if (scales) setScales(instance, reals, scales);
      return {
        /** @param {Uint8Array} bytes */
        next: (bytes) =>
          instance.scope((scope) => {
            const floats = new Float32Array(Math.ceil(bytes.length / about.itemSize) + 1);
            const out = scope.alloc(4);
            let count = 0;
            feed(instance, scope, bytes, (pointer, size) => {
              const some = made(c.cpb_reals_next(reals, pointer, size, out));
              const copy = instance.copy(some, 4 * instance.u32(out));
              floats.set(new Float32Array(copy.buffer), count);
              count += copy.length / 4;
            });
            return floats.subarray(0, count);
          }),
        free: () => c.cpb_reals_free(reals),
      };
    },
  };
}

/** Summarizes one array: statistics, a histogram, a picture, or texts; the values themselves stay here. */
import { magnitudes, smallReader } from './small-floats.js';

/** Bars of the histogram, lines of the picture, values that are shown. */
const [BARS, LINES, FIRST] = [64, 512, 64];
/** Rows of the picture are this long. */
const [NARROW, WIDE] = [4, 2048];
/** Ranges along an axis; more indices are put together. */
const CHANNELS = 256;

/** By NumPy's names of their types; of complex numbers, both parts. @type {Record<string, (buffer: ArrayBuffer) => ArrayLike<number | bigint>>} */
const readers = {
  '<f4': (b) => new Float32Array(b),
  '<f8': (b) => new Float64Array(b),
  '|i1': (b) => new Int8Array(b),
  '|u1': (b) => new Uint8Array(b),
  '<i2': (b) => new Int16Array(b),
  '<u2': (b) => new Uint16Array(b),
  '<i4': (b) => new Int32Array(b),
  '<u4': (b) => new Uint32Array(b),
  '<i8': (b) => new BigInt64Array(b),
  '<u8': (b) => new BigUint64Array(b),
  '|b1': (b) => new Uint8Array(b),
  '<f2': (b) => Float32Array.from(new Uint16Array(b), half),
  '|V2': (b) => Float32Array.from(new Uint16Array(b), brain),
  '<c8': (b) => new Float32Array(b),
  '<c16': (b) => new Float64Array(b),
};

/** @param {number} bits */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

const word = new DataView(new ArrayBuffer(4));
/** @param {number} bits */
const brain = (bits) => (word.setUint16(0, bits), word.getFloat32(0));

/**
 * A reader of an array's values; undefined for other kinds of values.
 *
 * @param {{ numpy?: string, dtype: string }} array
 */
export const readerOf = ({ numpy, dtype }) => (numpy === '|V1' ? smallReader(dtype) : readers[numpy ?? '']);

/** @param {ArrayLike<number | bigint>} values */
function statistics(values) {
  let [low, high, sum, squares, finite, zeros, nan] = [Infinity, -Infinity, 0, 0, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (v === 0) zeros++;
    else if (Number.isNaN(v)) nan++;
    if (!Number.isFinite(v)) continue;
    finite++;
    if (v < low) low = v;
    if (v > high) high = v;
    sum += v;
  }
  const mean = sum / finite;
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (Number.isFinite(v)) squares += (v - mean) ** 2;
  }
  const infinite = values.length - finite - nan;
  return { finite, zeros, nan, infinite, low, high, mean, deviation: Math.sqrt(squares / finite) };
}

/**
 * The smallest and the largest finite value for each index of a dimension, or for several indices.
 *
 * @param {ArrayLike<number | bigint>} values
 * @param {number[]} shape
 * @param {number} axis
 * @returns {Channels | undefined} undefined: it has no such dimension, or only one index there
 */
function channelsOf(values, shape, axis) {
  const size = shape[axis] ?? 0;
  if (shape.length < 2 || size < 2 || !values.length) return undefined;
  const each = Math.ceil(size / CHANNELS);
  const inner = shape.slice(axis + 1).reduce((all, one) => all * one, 1);
  const low = Array.from({ length: Math.ceil(size / each) }, () => Infinity);
  const high = low.map(() => -Infinity);
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (!Number.isFinite(v)) continue;
    const at = Math.floor((Math.floor(i / inner) % size) / each);
    if (v < Number(low[at])) low[at] = v;
    if (v > Number(high[at])) high[at] = v;
  }
  return { axis, size, each, low, high };
}

/** @param {ArrayLike<number | bigint>} values @param {number} low @param {number} high */
function histogram(values, low, high) {
  const bars = Array.from({ length: BARS }, () => 0);
  const step = (high - low || 1) / BARS;
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
    if (!Number.isFinite(v)) continue;
    const bar = Math.min(BARS - 1, Math.floor((v - low) / step));
    bars[bar] = (bars[bar] ?? 0) + 1;
  }
  return bars;
}

/**
 * Grey levels of a matrix, or of the last two dimensions joined.
 *
 * @param {ArrayLike<number | bigint>} values
 * @param {number} width
 * @param {number} low
 * @param {number} high
 */
function picture(values, width, low, high) {
  const height = Math.min(LINES, Math.floor(values.length / (width || 1)));
  if (width < NARROW || width > WIDE || height < NARROW) return undefined;
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) {
    const level = (255 * (Number(values[i]) - low)) / (high - low || 1);
    // Millions of them: each as an array would take most of the time.
    pixels[4 * i] = pixels[4 * i + 1] = pixels[4 * i + 2] = level;
    pixels[4 * i + 3] = 255;
  }
  return { width, height, pixels };
}

/** Of `each` indices of a dimension of `size`. @typedef {{ axis: number, size: number, each: number, low: number[], high: number[] }} Channels */

/**
 * @typedef {object} Shown
 * @property {number} count
 * @property {number[]} shape
 * @property {number} finite the number of finite values, to which low, high, mean and deviation apply
 * @property {number} zeros
 * @property {number} nan
 * @property {number} infinite
 * @property {number} low
 * @property {number} high
 * @property {number} mean
 * @property {number} deviation
 * @property {number[]} bars the number of values in each part of the range from low to high
 * @property {number[]} first
 * @property {Channels} [channels] the range of values for each index of a dimension
 * @property {boolean} [magnitudes] whether the statistics are of magnitudes of complex numbers
 * @property {string[]} [texts] the first ones, if they are texts
 * @property {{ by: string, scale: string, zero?: string }} [scales] of quantized values: the node that has real values
 *   made of them, and the names of its inputs
 * @property {{ width: number, height: number, pixels: Uint8ClampedArray } | undefined} picture
 */

/** For texts. */
export const NO_NUMBERS = {
  ...{ finite: 0, zeros: 0, nan: 0, infinite: 0, low: 0, high: 0, mean: 0, deviation: 0 },
  bars: [],
  first: [],
  picture: undefined,
};

/**
 * @param {ArrayLike<number | bigint>} numbers in row-major order, as their reader gives them
 * @param {{ dtype: string, shape: number[], axis?: number }} about axis: whose ranges are wanted, by default the last
 * @returns {Shown}
 */
export function shownOf(numbers, { dtype, shape, axis = shape.length - 1 }) {
  const isComplex = /complex/.test(dtype);
  const values = isComplex ? magnitudes(/** @type {any} */ (numbers)) : numbers;
  const about = statistics(values);
  const { finite, low, high } = about;
  return {
    count: values.length,
    shape,
    ...about,
    ...(isComplex && { magnitudes: true }),
    bars: finite ? histogram(values, low, high) : [],
    first: Array.from({ length: Math.min(FIRST, values.length) }, (_, i) => Number(values[i])),
    channels: finite ? channelsOf(values, shape, axis) : undefined,
    picture: finite ? picture(values, shape.at(-1) ?? 0, low, high) : undefined,
  };
}

/** Summarizes one array: statistics, a histogram, a picture, or texts; the values themselves stay here. */
import { magnitudes, smallReader } from './small-floats.js';
import { textsOf } from './texts.js';

/** Bars of the histogram, lines of the picture, values that are shown. */
const [BARS, LINES, FIRST] = [64, 512, 64];
/** Rows of the picture are this long. */
const [NARROW, WIDE] = [4, 2048];

/** The most bytes held in the page: a few bytes may represent many values. */
const MOST = 256 * 2 ** 20;

/** By NumPy's names of their types. @type {Record<string, (buffer: ArrayBuffer) => ArrayLike<number | bigint>>} */
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
  '<c8': (b) => magnitudes(new Float32Array(b)),
  '<c16': (b) => magnitudes(new Float64Array(b)),
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
 * The values in row-major order, from an array in which the first dimension varies fastest.
 *
 * @param {any} values
 * @param {number[]} shape
 */
export function rowMajor(values, shape) {
  const steps = shape.map((_, i) => shape.slice(0, i).reduce((step, size) => step * size, 1));
  return values.map((/** @type {any} */ _, /** @type {number} */ to) => {
    let [from, rest] = [0, to];
    for (let i = shape.length - 1; i >= 0; i--) {
      const size = Number(shape[i]);
      from += Number(steps[i]) * (rest % size);
      rest = Math.floor(rest / size);
    }
    return values[from];
  });
}

/**
 * @param {any} model
 * @param {any} tensor from the answer `constants`, or with the key of a `variable`; for SameDiff perhaps with a `tag`,
 *   and the number of a `state` of its updater
 * @param {AbortSignal} signal
 */
const arrayOf = (model, { variable, node, name, tensor, tag, state }, signal) =>
  model.values(
    variable ?? node ?? name,
    variable ? { variable: true, exactTexts: true, signal } : { tensor, tag, state, exactTexts: true, signal },
  );

/**
 * @param {any} array
 * @param {AbortSignal} signal
 * @returns {Promise<ArrayLike<number | bigint> | undefined>} undefined: not numbers
 */
async function numbersOf(array, signal) {
  const read = array.numpy === '|V1' ? smallReader(array.dtype) : readers[array.numpy ?? ''];
  if (read && array.size <= MOST) {
    const { buffer, byteLength, byteOffset: begin } = await array.bytes({ signal });
    const isAlone = byteLength === buffer.byteLength;
    const values = read(isAlone ? buffer : buffer.slice(begin, begin + byteLength));
    return array.fortranOrder ? rowMajor(values, array.shape) : values;
  }
  array.close();
  if (read) throw new Error(`the array has ${array.size} bytes; a page shows at most ${MOST}`);
  return undefined;
}

/** @param {ArrayLike<number | bigint>} values */
function statistics(values) {
  let [low, high, sum, squares, finite] = [Infinity, -Infinity, 0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const v = Number(values[i]);
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
  return { finite, low, high, mean, deviation: Math.sqrt(squares / finite) };
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

/**
 * @typedef {object} Shown
 * @property {number} count
 * @property {number} finite the number of finite values, to which the following apply
 * @property {number} low
 * @property {number} high
 * @property {number} mean
 * @property {number} deviation
 * @property {number[]} bars the number of values in each part of the range from low to high
 * @property {number[]} first
 * @property {boolean} [magnitudes] whether the statistics are of magnitudes of complex numbers
 * @property {string[]} [texts] the first ones, if they are texts
 * @property {{ width: number, height: number, pixels: Uint8ClampedArray } | undefined} picture
 */

const NO_NUMBERS = { finite: 0, low: 0, high: 0, mean: 0, deviation: 0, bars: [], first: [], picture: undefined };

/**
 * @param {any} model
 * @param {any} tensor
 * @param {AbortSignal} signal
 * @returns {Promise<Shown>}
 */
export async function shownOf(model, tensor, signal) {
  const array = await arrayOf(model, tensor, signal);
  if (/^(string|utf8)/i.test(array.dtype)) return { ...NO_NUMBERS, ...(await textsOf(array, signal)) };
  const values = await numbersOf(array, signal);
  if (!values) throw new Error(`values of type ${tensor.dtype} cannot be shown`);
  const about = statistics(values);
  return {
    count: values.length,
    ...about,
    ...(/complex/.test(array.dtype) && { magnitudes: true }),
    bars: about.finite ? histogram(values, about.low, about.high) : [],
    first: Array.from({ length: Math.min(FIRST, values.length) }, (_, i) => Number(values[i])),
    picture: about.finite ? picture(values, tensor.shape?.at(-1) ?? 0, about.low, about.high) : undefined,
  };
}

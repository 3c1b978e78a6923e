/** Summarizes one array: statistics, a histogram, a picture, or texts; the values themselves stay here. */

/** @import { Statistics } from 'libcpb/inspect/answers.js' */
/** @import { About } from 'libcpb/inspect/numbers.js' */

/** @typedef {ReturnType<typeof import('libcpb/inspect/numbers.js').numbersIn>} Numbers */

/** Lines of the picture; its rows are this long. */
const [LINES, NARROW, WIDE] = [512, 4, 2048];

/**
 * Types that JavaScript has, by NumPy's names; of complex numbers, both parts.
 *
 * @type {Record<string, (buffer: ArrayBuffer) => ArrayLike<number | bigint>>}
 */
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
  '<c8': (b) => new Float32Array(b),
  '<c16': (b) => new Float64Array(b),
};

/** The core's floats. @param {Numbers} numbers @param {About} about @param {Uint8Array} bytes */
function floatsOf(numbers, about, bytes) {
  const reals = numbers.reals(about);
  try {
    return reals.next(bytes);
  } finally {
    reals.free();
  }
}

/**
 * All digits of an array's numbers. Types that JavaScript lacks are floats of fewer bits.
 *
 * @param {Numbers} numbers @param {About} about @param {Uint8Array} bytes in row-major order
 * @returns {ArrayLike<number | bigint>}
 */
export function exactly(numbers, about, bytes) {
  const read = readers[about.numpy ?? ''];
  const values = read ? read(bytes.slice().buffer) : floatsOf(numbers, about, bytes);
  if (bytes.length && !values.length)
    throw Object.assign(new Error(`values of type ${about.dtype} are not numbers`), { code: 'UNSUPPORTED' });
  return values;
}

/**
 * Grey levels of a matrix, or of the last two dimensions joined.
 *
 * @param {Numbers} numbers @param {About} about @param {Uint8Array} bytes
 * @param {{ minimum?: any, maximum?: any }} range
 */
function picture(numbers, about, bytes, { minimum: low, maximum: high }) {
  const width = about.shape.at(-1) ?? 0;
  const height = Math.min(LINES, Math.floor(about.count / (width || 1)));
  if (width < NARROW || width > WIDE || height < NARROW) return undefined;
  const values = floatsOf(numbers, about, bytes.subarray(0, width * height * about.itemSize));
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
 * @property {number[]} shape
 * @property {Statistics} [statistics] of numbers, with the ranges along a dimension
 * @property {string[]} [texts] the first ones, if they are texts
 * @property {{ by: string, scale: string, zero?: string }} [scales] of quantized values: the node that has real values
 *   made of them, and the names of its inputs, or numbers
 * @property {{ width: number, height: number, pixels: Uint8ClampedArray }} [picture]
 */

/**
 * @param {Numbers} numbers
 * @param {About} about
 * @param {Uint8Array} bytes in row-major order
 * @param {number} [axis] whose ranges are wanted, by default the last
 * @returns {Shown}
 */
export function shownOf(numbers, about, bytes, axis = about.shape.length - 1) {
  const { count, shape } = about;
  const parts = shape.length > 1 && Number(shape[axis]) > 1 ? axis : undefined;
  const statistics = numbers.statistics(about, bytes, parts);
  if (!statistics.numbers)
    throw Object.assign(new Error(`values of type ${about.dtype} are not numbers`), { code: 'UNSUPPORTED' });
  return {
    ...{ count, shape, statistics },
    picture: statistics.numbers.finite ? picture(numbers, about, bytes, statistics.numbers) : undefined,
  };
}

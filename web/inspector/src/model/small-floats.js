/** Floats of a byte or less, and pairs of floats, as numbers of JavaScript. */

/**
 * The meaning of the bits of a format. `end` is the meaning of the largest exponents: infinities and NaN ('ieee'), only
 * NaN if all bits are set ('fn'), or only numbers ('all'); 'fnuz' has no -0, whose bits are NaN.
 * @typedef {{ exponent: number, fraction: number, bias: number, end: 'ieee' | 'fn' | 'fnuz' | 'all' }} Format
 */

/** By their names. @type {Record<string, Format>} */
const FORMATS = {
  float8_e4m3fn: { exponent: 4, fraction: 3, bias: 7, end: 'fn' },
  float8_e4m3fnuz: { exponent: 4, fraction: 3, bias: 8, end: 'fnuz' },
  float8_e4m3b11fnuz: { exponent: 4, fraction: 3, bias: 11, end: 'fnuz' },
  float8_e5m2: { exponent: 5, fraction: 2, bias: 15, end: 'ieee' },
  float8_e5m2fnuz: { exponent: 5, fraction: 2, bias: 16, end: 'fnuz' },
  float6_e2m3fn: { exponent: 2, fraction: 3, bias: 1, end: 'all' },
  float6_e3m2fn: { exponent: 3, fraction: 2, bias: 3, end: 'all' },
  float4_e2m1fn: { exponent: 2, fraction: 1, bias: 1, end: 'all' },
};

/** NaN or infinity, if the bits mean one of these; else undefined. @param {Format} format @param {number} bits */
function special({ exponent: width, fraction: digits, end }, bits) {
  const [sign, exponent, fraction] = partsOf(width, digits, bits);
  if (end === 'fnuz') return bits === 1 << (width + digits) ? NaN : undefined;
  if (exponent !== 2 ** width - 1 || end === 'all') return undefined;
  if (end === 'fn') return fraction === 2 ** digits - 1 ? NaN : undefined;
  return fraction ? NaN : sign * Infinity;
}

/** @param {number} width @param {number} digits @param {number} bits @returns {[number, number, number]} */
const partsOf = (width, digits, bits) => [
  (bits >> (width + digits)) & 1 ? -1 : 1,
  (bits >> digits) & (2 ** width - 1),
  bits & (2 ** digits - 1),
];

/** @param {Format} format @param {number} bits */
function numberOf(format, bits) {
  const { exponent: width, fraction: digits, bias } = format;
  const [sign, exponent, fraction] = partsOf(width, digits, bits);
  const part = fraction / 2 ** digits;
  return special(format, bits) ?? sign * (exponent ? 2 ** (exponent - bias) * (1 + part) : 2 ** (1 - bias) * part);
}

/** An exponent alone. @param {number} bits */
const scale = (bits) => (bits === 255 ? NaN : 2 ** (bits - 127));

/**
 * Makes a reader of values with a byte each; undefined for other types.
 *
 * @param {string} dtype
 * @returns {((buffer: ArrayBuffer) => Float64Array) | undefined}
 */
export function smallReader(dtype) {
  const format = FORMATS[dtype];
  if (!format && dtype !== 'float8_e8m0fnu') return undefined;
  const bits = format ? 2 ** (1 + format.exponent + format.fraction) - 1 : 255;
  const table = Float64Array.from({ length: 256 }, (_, byte) => (format ? numberOf(format, byte & bits) : scale(byte)));
  return (buffer) => Float64Array.from(new Uint8Array(buffer), (byte) => /** @type {number} */ (table[byte]));
}

/** The magnitudes of complex numbers. @param {Float32Array | Float64Array} parts real and imaginary ones */
export const magnitudes = (parts) =>
  Float64Array.from({ length: parts.length / 2 }, (_, i) => Math.hypot(Number(parts[2 * i]), Number(parts[2 * i + 1])));

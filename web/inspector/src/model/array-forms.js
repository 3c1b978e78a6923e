/** The forms in which numbers are saved: .npy, CSV, and lists of Python, which NumPy reads. */

/** Sizes in the head of a .npy file: its multiple, and the magic number, version and length before the dictionary. */
const ALIGNMENT = 64;
const BEFORE = 10;

/** @param {number} value */
const odd = (value) => (Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf');

/** With as many digits as a 32-bit float needs, or a shorter one. @param {number} value */
function single(value) {
  if (!Number.isFinite(value)) return odd(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return signed(text);
  }
  return signed(Number(value.toPrecision(9)));
}

/** -0 also has its sign. @param {number} value */
const signed = (value) => (Object.is(value, -0) ? '-0' : String(value));

/** @param {number} value */
const double = (value) => (Number.isFinite(value) ? signed(value) : odd(value));

/**
 * The text of the i-th element.
 *
 * @param {string} numpy its type
 * @param {ArrayLike<number | bigint>} values of complex numbers, both parts of each
 * @returns {(i: number) => string}
 */
export function textsOf(numpy, values) {
  const at = (/** @type {number} */ i) => /** @type {number} */ (values[i]);
  if (numpy === '|b1') return (i) => (at(i) ? 'True' : 'False');
  if (/^[<|][iu]/.test(numpy)) return (i) => String(at(i));
  const text = /^<(f8|c16)$/.test(numpy) ? double : single;
  if (!numpy.startsWith('<c')) return (i) => text(at(i));
  return (i) => {
    const imaginary = text(at(2 * i + 1));
    return `${text(at(2 * i))}${imaginary.startsWith('-') ? '' : '+'}${imaginary}j`;
  };
}

/**
 * Lines of CSV: each is a row of the last dimension.
 *
 * @param {(i: number) => string} text
 * @param {number} first the number of the first element
 * @param {number} count
 * @param {number} width of a row
 */
export function csv(text, first, count, width) {
  const parts = [];
  for (let i = 0; i < count; i++) parts.push(text(i), (first + i + 1) % width ? ',' : '\n');
  return parts.join('');
}

/** @param {(i: number) => string} text @param {number[]} shape */
export function list(text, shape) {
  let at = 0;
  const inner = (/** @type {number} */ d) => {
    if (d === shape.length) return text(at++);
    /** @type {string[]} */
    const items = Array.from({ length: Number(shape[d]) }, () => inner(d + 1));
    return `[${items.join(d === shape.length - 1 ? ', ' : `,\n${' '.repeat(d + 1)}`)}]`;
  };
  return inner(0);
}

/**
 * @param {{ numpy?: string, shape: number[], count: number, fortranOrder?: boolean }} array
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function npyHead({ numpy, shape, count, fortranOrder }) {
  // A scalar of NumPy has a value: an empty one gets a dimension of 0.
  const sizes = !shape.length && !count ? [0] : shape;
  const tuple = sizes.length === 1 ? `${sizes[0]},` : sizes.join(', ');
  const dict = `{'descr': '${numpy}', 'fortran_order': ${fortranOrder ? 'True' : 'False'}, 'shape': (${tuple}), }`;
  const size = Math.floor((BEFORE + dict.length + ALIGNMENT) / ALIGNMENT) * ALIGNMENT;
  const text = `${dict.padEnd(size - BEFORE - 1)}\n`;
  const head = new Uint8Array(size);
  head.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, text.length & 255, text.length >> 8]);
  head.set(new TextEncoder().encode(text), BEFORE);
  return head;
}

/** Numbers, shapes and types as people read them. */

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** @param {number} bytes */
export function size(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < UNITS.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${bytes.toLocaleString('en', { maximumFractionDigits: unit && bytes < 100 ? 1 : 0 })} ${UNITS[unit]}`;
}

/** @param {number} n */
export const count = (n) => n.toLocaleString('en');

/** @param {(number | null)[] | null | undefined} dimensions null: the rank is not known */
export const shape = (dimensions) => (dimensions ? `[${dimensions.map((d) => d ?? '?').join(', ')}]` : '[…]');

/** @param {{ dtype?: string | null, shape?: (number | null)[] | null }} tensor */
export const tensor = ({ dtype, shape: dimensions }) => `${dtype ?? '?'}${shape(dimensions)}`;

/** @param {number} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** What would not be seen, or would turn what follows around: controls, marks of direction. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** A model's text, with nothing in it that hides. @param {unknown} text */
export const plain = (text) => String(text ?? '').replace(UNSEEN, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

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
export const shape = (dimensions) =>
  dimensions ? `[${dimensions.map((d) => d ?? '?').join(', ')}]` : '[…]';

/** @param {{ dtype?: string | null, shape?: (number | null)[] | null }} tensor */
export const tensor = ({ dtype, shape: dimensions }) => `${dtype ?? '?'}${shape(dimensions)}`;

/** @param {number} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

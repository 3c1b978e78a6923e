/** A SavedModel of 342 MB: constants of noise, and small nodes. */

export const TENSOR = 18e6;
export const CONSTANTS = 19;
const NODES = 20_000;

/** @param {number} n @returns {number[]} */
const varint = (n) => (n < 128 ? [n] : [(n % 128) | 128, ...varint(Math.floor(n / 128))]);
const ascii = (/** @type {string} */ text) => [...new TextEncoder().encode(text)];
/** @param {number} number @param {number[]} bytes @param {number} [more] bytes that follow */
const field = (number, bytes, more = 0) => [(number << 3) | 2, ...varint(bytes.length + more), ...bytes];

/** All but the content of a constant. @param {number} i @param {number} size of that */
function headOf(i, size) {
  const tensor = field(8, [8, 1, ...field(2, []), (4 << 3) | 2, ...varint(size)], size);
  const attr = field(5, [...field(1, ascii('value')), ...field(2, tensor, size)], size);
  return field(1, [...field(1, ascii(`n${i}`)), ...field(2, ascii('Const')), ...attr], size);
}

/** @param {number} i */
const smallNode = (i) =>
  field(1, [
    ...field(1, ascii(`small/node_${i}/activation`)),
    ...field(2, ascii('Identity')),
    ...field(3, ascii(`small/node_${i - 1}/activation`)),
  ]);

/**
 * Its bytes in their order: each part is good until the next one.
 *
 * @param {number} [constants]
 * @param {number} [tensor] bytes of each
 */
export function* parts(constants = CONSTANTS, tensor = TENSOR) {
  const heads = Array.from({ length: constants }, (_, i) => headOf(i, tensor));
  const small = Array.from({ length: NODES }, (_, i) => smallNode(i)).flat();
  const size = heads.reduce((sum, head) => sum + head.length + tensor, small.length);
  yield Uint8Array.from([8, 1, ...field(2, field(2, [], size), size), ...small]);
  const noise = new Uint32Array(tensor / 4);
  for (let i = 0, x = 1; i < noise.length; i++) noise[i] = x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
  for (const [i, head] of heads.entries()) {
    noise[0] = i;
    yield Uint8Array.from(head);
    yield new Uint8Array(noise.buffer);
  }
}

/**
 * Where two files differ; undefined if they do not.
 *
 * @param {number} size of both
 * @param {(bytes: Uint8Array, offset: number) => number | Promise<number>} one reads at an offset
 * @param {(bytes: Uint8Array, offset: number) => number | Promise<number>} other
 */
export async function differing(size, one, other) {
  const [a, b] = [new Uint8Array(2 ** 20), new Uint8Array(2 ** 20)];
  for (let at = 0; at < size;) {
    const [count, same] = [await one(a, at), await other(b, at)];
    if (count !== same || count <= 0) return at;
    const words = new Float64Array(a.buffer);
    const others = new Float64Array(b.buffer);
    const wholes = Math.floor(count / 8);
    for (let i = 0; i < wholes; i++) if (!Object.is(words[i], others[i])) return at + 8 * i;
    for (let i = 8 * wholes; i < count; i++) if (a[i] !== b[i]) return at + i;
    at += count;
  }
  return undefined;
}

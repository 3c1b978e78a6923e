/** Arrays of bytes. */
import { collector, isBytes } from './collector.js';
import { CpbError } from './errors.js';

/** @param {{ length: number }[]} all */
export const sumOf = (all) => all.reduce((sum, { length }) => sum + length, 0);

/** All in one; a part that is all of it is not copied. @param {Uint8Array[]} parts */
export function concat(parts) {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const all = collector(sumOf(parts));
  parts.forEach(all.add);
  return all.bytes();
}

/** A Uint8Array and no Buffer, whose `slice` would not copy. @param {ArrayBufferLike | ArrayBufferView} bytes */
export function asBytes(bytes) {
  if (bytes?.constructor === Uint8Array) return bytes;
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isBytes(bytes)) return new Uint8Array(bytes);
  throw new CpbError('READ', `a source gave ${typeof bytes}, not bytes`);
}

/** @param {string} text */
export const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** Collects bytes into arrays. */
import { CpbError } from './errors.js';

/** A new array. @param {number} length @returns {Uint8Array<ArrayBuffer>} */
export function room(length) {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw new CpbError('MEMORY', `no memory for ${length} bytes; read a stream`, { cause });
  }
}

/** The allocation allowed for each byte received: systems provide memory only as it is written to. */
const TRUSTED = 4096;

/**
 * Collects bytes. Once a MiB has arrived, it allocates room for all expected bytes, so that they are copied once;
 * before that, it does not trust the size that a hostile file claims.
 *
 * @param {number} [expected] probable number of bytes
 */
export function collector(expected = 0) {
  let bytes = room(Math.min(expected, 2 ** 20));
  let length = 0;
  return {
    /** @param {Uint8Array} more */
    add(more) {
      const needed = length + more.length;
      if (needed > bytes.length) {
        const all = needed <= expected && expected <= needed * TRUSTED;
        const larger = room(all ? expected : Math.ceil(Math.max(needed, Math.min(2 * bytes.length, needed * 1.5))));
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(more, length);
      length = needed;
    },
    bytes: () => (length === bytes.length ? bytes : bytes.slice(0, length)),
  };
}

/** Also those of another realm, and shared ones. @param {any} it @returns {it is ArrayBufferLike | ArrayBufferView} */
export const isBytes = (it) => ArrayBuffer.isView(it) || /ArrayBuffer]$/.test(Object.prototype.toString.call(it));

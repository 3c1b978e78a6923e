import { asBytes } from '../bytes.js';

/**
 * Bytes in memory.
 *
 * @param {ArrayBufferLike | ArrayBufferView} input not to be changed while it is read
 * @returns {import('../types.js').Source}
 */
export function bytesSource(input) {
  const bytes = asBytes(input);
  return {
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    stat: async () => ({ size: bytes.length }),
  };
}

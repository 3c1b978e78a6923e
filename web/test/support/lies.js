/** What the lying server (server.js) and the tests of it agree on. */

/** Bytes of its file where no size is asked for. */
export const FILE_SIZE = 300_000;

/**
 * The bytes [begin, end) of its file: no two neighbouring windows are alike.
 *
 * @param {number} begin
 * @param {number} end
 */
export function bytesAt(begin, end) {
  const bytes = new Uint8Array(Math.max(0, end - begin));
  for (let i = 0; i < bytes.length; i++) bytes[i] = Math.imul(begin + i + 1, 0x9e3779b1) >>> 21;
  return bytes;
}

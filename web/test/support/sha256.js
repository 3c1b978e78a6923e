/** SHA-256 in hex of many small things of which most are the same. */

/** @type {Map<string, Promise<string>>} */
const known = new Map();

/**
 * Two 32-bit mixes of the bytes: equal bytes are not hashed again by the slower
 * crypto.subtle, which crosses a thread for every record.
 *
 * @param {Uint8Array} bytes
 */
function key(bytes) {
  let a = 0x9dc5811c;
  let b = 0x1b873593;
  for (let i = 0; i < bytes.length; i++) {
    a = Math.imul(a ^ Number(bytes[i]), 0x01000193);
    b = Math.imul(b ^ Number(bytes[i]), 0x85ebca6b) ^ (b >>> 15);
  }
  return `${bytes.length} ${a} ${b}`;
}

/** @type {(bytes: Uint8Array) => Promise<string>} */
async function digest(bytes) {
  const hash = new Uint8Array(
    await crypto.subtle.digest('SHA-256', /** @type {BufferSource} */ (bytes)),
  );
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * @param {Uint8Array | string} data
 * @returns {Promise<string>}
 */
export function sha256(data) {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  if (bytes.length > 65536) return digest(bytes);
  const id = key(bytes);
  const found = known.get(id) ?? digest(bytes.slice());
  known.set(id, found);
  return found;
}

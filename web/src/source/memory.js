/** Sources that need no request: bytes in memory, Blobs and Files. */
import { asBytes } from '../bytes.js';
import { asCpbError, CpbError } from '../errors.js';

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

/**
 * A Blob or a File, such as one that was dropped on a page. Reading a File that changed on
 * disk since then fails.
 *
 * @param {Blob} blob
 * @returns {import('../types.js').Source}
 */
export function blobSource(blob) {
  const { name = 'the Blob', lastModified } = /** @type {Partial<File>} */ (blob);

  /** @param {unknown} cause @returns {never} */
  function fail(cause) {
    if (/^Not(Readable|Found)Error$/.test(/** @type {Error} */ (cause)?.name))
      throw new CpbError('CHANGED', `${name} changed since it was chosen`, { cause });
    throw asCpbError(cause, name);
  }

  return {
    name,
    local: true,
    read: async (offset, length) =>
      new Uint8Array(
        await blob
          .slice(offset, offset + length)
          .arrayBuffer()
          .catch(fail),
      ),
    stat: async () => ({
      size: blob.size,
      etag: lastModified === undefined ? undefined : `"${blob.size}-${lastModified}"`,
    }),
  };
}

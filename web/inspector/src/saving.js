/** Files that the page makes: those that are large go to the disk as they come, others are downloads. */

/** Larger ones are written as they come, where the browser can; elsewhere, the most bytes of a download. */
const [LARGE, MOST] = [64 * 2 ** 20, 256 * 2 ** 20];

const canWrite = () => 'showSaveFilePicker' in globalThis;

/** Whether a file of this size can be made here. @param {number} size */
export const canSave = (size) => size <= MOST || canWrite();

/** A name that every disk takes. @param {string} name @param {string} ending */
export const fileName = (name, ending) =>
  `${name
    .replace(/[^\w.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(-100)}.${ending}`;

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement('a'), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/**
 * A new file; for a large one, the reader says where. Called by a click.
 *
 * @param {string} name
 * @param {number} size about
 * @returns {Promise<{ write: (piece: Uint8Array<ArrayBuffer>) => unknown, close: () => unknown, abort: () => unknown }>}
 */
export async function newFile(name, size) {
  if (size > LARGE && canWrite()) {
    const handle = await /** @type {any} */ (globalThis).showSaveFilePicker({ suggestedName: name });
    return handle.createWritable();
  }
  /** @type {BlobPart[]} */
  const pieces = [];
  let all = 0;
  return {
    write(piece) {
      all += piece.length;
      if (all > MOST) throw new Error('the file is larger than what this browser can download');
      pieces.push(piece);
    },
    close: () => download(new Blob(pieces), name),
    abort() {},
  };
}

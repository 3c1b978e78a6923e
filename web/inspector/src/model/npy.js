/** The head of a .npy file, the same as `cpb extract` writes (src/cli/npy.c). */

const ALIGNMENT = 64;
/** Before the dictionary: the magic number, the version and the length. */
const BEFORE = 10;

/**
 * @param {{ numpy?: string, shape: number[], count: number, fortranOrder?: boolean }} array
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function npyHead({ numpy, shape, count, fortranOrder }) {
  // A scalar of NumPy has a value: an empty one gets a dimension of 0.
  const sizes = !shape.length && !count ? [0] : shape;
  const tuple = sizes.length === 1 ? `${sizes[0]},` : sizes.join(', ');
  const dict = `{'descr': '${numpy}', 'fortran_order': ${fortranOrder ? 'True' : 'False'}, 'shape': (${tuple}), }`;
  const size = Math.floor((BEFORE + dict.length + ALIGNMENT) / ALIGNMENT) * ALIGNMENT;
  const text = `${dict.padEnd(size - BEFORE - 1)}\n`;
  const head = new Uint8Array(size);
  head.set([0x93, ...new TextEncoder().encode('NUMPY'), 1, 0, text.length & 255, text.length >> 8]);
  head.set(new TextEncoder().encode(text), BEFORE);
  return head;
}

/** Where the module is with which most begin, in a form that bundlers find and copy. */

/** A module with one 128-bit instruction. */
const simd = '\0asm\x01\0\0\0\x01\x05\x01`\0\x01{\x03\x02\x01\0\n\n\x01\b\0A\0\xfd\x0f\xfdb\v';

/** Whether there are such. */
const hasSimd = () => WebAssembly.validate(Uint8Array.from(simd, (c) => c.charCodeAt(0)));

/** The one that this runtime can run. @param {URL[]} urls without SIMD and, where that helps, with it */
export const one = ([plain, simd = plain]) => /** @type {URL} */ (hasSimd() ? simd : plain);

export const readerUrl = () =>
  one([new URL('./wasm/reader.wasm', import.meta.url), new URL('./wasm/reader-simd.wasm', import.meta.url)]);

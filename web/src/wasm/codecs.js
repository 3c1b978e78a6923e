/** Decoding by the host, for the module without decoders: reader-hostcodecs.wasm. */
import { setImports } from './instance.js';

/**
 * Decodes one Brotli stream or one Zstd frame with the size in the file, at most `size` bytes; `bytes` are valid until
 * it returns. It throws if they are damaged, and returns nothing if it lacks such a decoder.
 * @typedef {(codec: 'brotli' | 'zstd', bytes: Uint8Array, size: number) =>
 *   Uint8Array | undefined} Decode
 */

/** @type {Decode | undefined} */
let decode;

/** @param {Decode | undefined} given */
export function setDecode(given) {
  decode = given ?? decode;
  setImports(codecImports);
}

// As in cpb/host_codec.h.
const DAMAGED = -1;
const UNSUPPORTED = -2;
const BROTLI = 98;

/**
 * The imports of such a module.
 *
 * @param {() => ArrayBuffer} memory
 */
const codecImports = (memory) => ({
  /** @type {(codec: number, from: number, length: number, to: number, room: number) => number} */
  decode(codec, from, length, to, room) {
    try {
      const source = new Uint8Array(memory(), from >>> 0, length >>> 0);
      const bytes = decode?.(codec === BROTLI ? 'brotli' : 'zstd', source, room);
      if (!bytes) return UNSUPPORTED;
      new Uint8Array(memory(), to >>> 0, room).set(bytes);
      return bytes.length;
    } catch {
      return DAMAGED;
    }
  },
});

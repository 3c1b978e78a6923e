/** The chunks of a .cpb file. */
import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { teller } from '../progress.js';
import { streamOf } from '../source/streams.js';
import { NONE } from '../wasm/instance.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile, Verify } from './open-file.js' */

/**
 * How a chunk is read.
 * @typedef {ReadOptions & { verify?: Verify }} ChunkReadOptions
 */

/**
 * Where and how a chunk is stored.
 * @typedef {object} Stored
 * @property {number} size of its record, in bytes; this is the real size, whatever the index says; except for one that
 *   shares a transposed Riegeli chunk, whose header lacks it: then the index's size
 * @property {number} index of the record in its Riegeli chunk
 * @property {number} begin
 * @property {number} end of its Riegeli chunk: bytes [begin, end) of the file that it is in
 * @property {number} records in that Riegeli chunk
 * @property {'none' | 'brotli' | 'zstd' | 'snappy' | 'unknown'} codec
 * @property {boolean} transposed
 */

/**
 * A chunk of a .cpb file: nothing of it is read before it is asked for.
 * @typedef {object} Chunk
 * @property {number} index
 * @property {'MESSAGE' | 'BYTES' | 'UNSET'} type
 * @property {number} size bytes, according to the index
 * @property {number} position of its record: begin of its Riegeli chunk + index in it
 * @property {number} file the file that has it: 0: the message's own; from 1 on: another one, see `files`
 * @property {(options?: ChunkReadOptions) => Promise<Uint8Array<ArrayBuffer>>} bytes all of it, which belongs to the
 *   caller; by default resolved only after the hash was checked
 * @property {(options?: ChunkReadOptions) => ReadableStream<Uint8Array>} stream all of it as it
 *   arrives; by default a wrong hash makes the end of the stream an error
 * @property {(options?: ChunkReadOptions) => Promise<Blob>} blob all of it
 * @property {(offset: number, length: number, options?: ChunkReadOptions) =>
 *   Promise<Uint8Array<ArrayBuffer>>} read bytes [offset, offset + length), or the existing part of them; by default no
 *   hash is checked, and of an uncompressed chunk only these bytes are fetched
 * @property {(options?: ReadOptions) => Promise<Stored>} stored reads only the header
 */

/** The types of chunks, by their numbers in C. */
export const types = /** @type {const} */ (['UNSET', 'MESSAGE', 'BYTES']);

/** For 64-bit arguments.
 * @param {number} n */
export const big = (n) => (n >= Number.MAX_SAFE_INTEGER ? NONE : BigInt(n));

/** @param {string} what @param {number} n */
export function checkOffset(what, n) {
  if (!(n >= 0 && (Number.isSafeInteger(n) || n === Infinity)))
    throw new CpbError('USAGE', `${what} is ${n}; expected a whole number from 0 to 2^53 - 1`);
}

/** @param {number} offset @param {number} length */
export function checkRange(offset, length) {
  checkOffset('offset', offset);
  checkOffset('length', length);
}

/**
 * The index's entry of a chunk.
 *
 * @param {OpenFile} file @param {Engine} index @param {number} i
 * @returns {{ type: number, size: number, position: number, file: number }}
 */
export function chunkInfo(file, index, i) {
  return file.instance.scope((scope) => {
    const out = scope.struct('chunk_info');
    if (!(i >= 0) || index.call('get_chunk', big(i), out) !== 0)
      throw new CpbError('NOT_FOUND', `there is no chunk ${i}`);
    return file.instance.get('chunk_info', out);
  });
}

/**
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 * @param {import('./open.js').Load} load loads code that is rarely needed
 * @param {Verify} [verify] the file's choice
 * @returns {Chunk}
 */
export function chunkOf(file, index, i, load, verify) {
  file.check();
  const { type, size, position, file: within } = chunkInfo(file, index, i);
  if (!Number.isSafeInteger(position)) throw new CpbError('LIMIT', `chunk ${i} lies beyond 2^53 bytes`);

  const reading = async () => (await parts.reading()).chunkReading(file, index, i, load, verify, size);

  /** @type {Chunk} */
  const chunk = {
    index: i,
    type: types[type] ?? 'UNSET',
    size,
    position,
    file: within,
    bytes: async (options) => (await reading()).bytes(options),
    stream(options = {}) {
      const told = teller(options.onProgress, `chunk ${i}`, size); // an invalid option is an error at once
      return streamOf(
        async function* pieces(signal) {
          yield* (await reading()).pieces({ ...options, signal, told });
        },
        options.signal,
        'own',
      );
    },
    blob: async (options) => new Response(chunk.stream(options)).blob(),
    read: async (offset, length, options) => (await reading()).read(offset, length, options),
    stored: async (options) => (await reading()).stored(options),
  };
  return chunk;
}

/** The chunks of a .cpb file. */
import { CpbError } from '../errors.js';
import { teller } from '../progress.js';
import { streamOf } from '../source/streams.js';
import { NONE } from '../wasm/instance.js';
import { verifyOf } from './open-file.js';
import { collect, engineStream } from './output.js';

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
 * @property {number} size of its record, in bytes; this counts, whatever the index says; but
 *   for one that shares a transposed Riegeli chunk, of which the header does not tell, it is the index's
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
 * @property {number} size bytes, as the index says
 * @property {number} position of its record: begin of its Riegeli chunk + index therein
 * @property {number} file that it is in: 0: the message's own; from 1 on: another one, see `files`
 * @property {(options?: ChunkReadOptions) => Promise<Uint8Array<ArrayBuffer>>} bytes all of it,
 *   yours; by default resolved only after the hash was checked
 * @property {(options?: ChunkReadOptions) => ReadableStream<Uint8Array>} stream all of it as it
 *   arrives; by default a wrong hash makes the end of the stream an error
 * @property {(options?: ChunkReadOptions) => Promise<Blob>} blob all of it
 * @property {(offset: number, length: number, options?: ChunkReadOptions) =>
 *   Promise<Uint8Array<ArrayBuffer>>} read
 *   bytes [offset, offset + length) or what of them is there; by default no hash
 *   is checked: of a chunk that is not compressed no more is fetched
 * @property {(options?: ReadOptions) => Promise<Stored>} stored reads only the header
 */

const types = /** @type {const} */ (['UNSET', 'MESSAGE', 'BYTES']);

/** For 64-bit arguments.
 * @param {number} n */
export const big = (n) => (n >= Number.MAX_SAFE_INTEGER ? NONE : BigInt(n));

/**
 * @param {string} what
 * @param {number} n
 */
export function checkOffset(what, n) {
  if (!(n >= 0 && (Number.isSafeInteger(n) || n === Infinity))) {
    throw new CpbError('USAGE', `${what} is ${n}; expected a whole number from 0 to 2^53 - 1`);
  }
}

/** @param {number} offset @param {number} length */
export function checkRange(offset, length) {
  checkOffset('offset', offset);
  checkOffset('length', length);
}

/**
 * What the index says of a chunk.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 * @returns {{ type: number, size: number, position: number, file: number }}
 */
export function chunkInfo(file, index, i) {
  return file.instance.scope((scope) => {
    const out = scope.struct('chunk_info');
    if (!(i >= 0) || index.call('get_chunk', big(i), out) !== 0) {
      throw new CpbError('NOT_FOUND', `there is no chunk ${i}`);
    }
    return file.instance.get('chunk_info', out);
  });
}

/** How many bytes of a chunk that shares its Riegeli chunk are given at once, rather than as they arrive. */
const AT_ONCE = 2 ** 20;

/**
 * Whether the chunk is in one Riegeli chunk with that before or behind it.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 */
export function isShared({ instance }, index, i) {
  return instance.scope((scope) => {
    const out = scope.struct('chunk_info');
    const info = (/** @type {number} */ at) =>
      at >= 0 && index.call('get_chunk', BigInt(at), out) === 0 ? instance.get('chunk_info', out) : undefined;
    const own = info(i);
    return [i - 1, i + 1].some((at) => {
      const other = info(at);
      return other && own && other.file === own.file && Math.abs(other.position - own.position) === 1;
    });
  });
}

/** @param {OpenFile} file @param {Engine} index @param {number} verify */
export function newReader(file, index, verify) {
  return file.make('cpb_chunk_reader', (scope) => {
    const options = scope.struct('chunk_reader_options', { verify, limits: file.limitsIn(scope) });
    return file.instance.c.cpb_chunk_reader_new(0, index.pointer, options);
  });
}

/**
 * A reader that has begun with a range of a chunk.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 * @param {number} offset
 * @param {number} length
 * @param {number} verify a cpb_verify
 */
export function readChunk(file, index, i, offset, length, verify) {
  const reader = newReader(file, index, verify);
  reader.check('read', BigInt(i), big(offset), big(length));
  return reader;
}

/**
 * @template T
 * @param {Engine} engine
 * @param {(engine: Engine) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function using(engine, use) {
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

/**
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 * @param {import('./open.js').Load} load what is seldom needed
 * @param {Verify} [verify] the file's choice
 * @returns {Chunk}
 */
export function chunkOf(file, index, i, load, verify) {
  file.check();
  const { type, size, position, file: within } = chunkInfo(file, index, i);
  if (!Number.isSafeInteger(position)) throw new CpbError('LIMIT', `chunk ${i} lies beyond 2^53 bytes`);

  const shared = isShared(file, index, i);

  /** @param {ChunkReadOptions} o @param {Verify} otherwise */
  const how = (o, otherwise) => verifyOf(o.verify ?? verify, otherwise);
  /** @type {<T>(range: [number, number], o: ChunkReadOptions, otherwise: Verify, use: (reader: Engine) => Promise<T>) => Promise<T>} */
  const read = async ([offset, length], o, otherwise, use) => {
    const verify = how(o, otherwise);
    if (!shared) return using(readChunk(file, index, i, offset, length, verify), use);
    const { usingShared } = await load();
    return usingShared(file, index, { i, offset, length, verify, signal: o.signal }, use);
  };
  /** @param {ChunkReadOptions} o @param {number} [total] */
  const told = (o, total) => teller(o.onProgress, `chunk ${i}`, total);

  /** @type {Chunk} */
  const chunk = {
    index: i,
    type: types[type] ?? 'UNSET',
    size,
    position,
    file: within,
    bytes: async (options = {}) =>
      read([0, Infinity], options, 'late', (reader) =>
        collect(file, reader, { ...options, told: told(options, size) }, size),
      ),
    stream(options = {}) {
      const all = async function* (/** @type {AbortSignal} */ signal) {
        yield await chunk.bytes({ ...options, signal });
      };
      const progress = told(options, size); // a wrong option is an error at once
      if (shared && size <= AT_ONCE) return streamOf(all, options.signal, 'own');
      const begin = () => readChunk(file, index, i, 0, Infinity, how(options, 'late'));
      return engineStream(file, begin, options.signal, progress);
    },
    blob: async (options) => new Response(chunk.stream(options)).blob(),
    async read(offset, length, options = {}) {
      checkRange(offset, length);
      const total = Math.max(0, Math.min(length, size - offset));
      return read([offset, length], options, 'never', (reader) =>
        collect(file, reader, { ...options, told: told(options, total) }, total),
      );
    },
    stored: async (options = {}) => {
      const { storedOf } = await load();
      return read([0, 0], { verify: 'never', signal: options.signal }, 'never', async (reader) => {
        await file.drive(reader, { ...options, got: told(options) });
        return storedOf(file, reader);
      });
    },
  };
  return chunk;
}

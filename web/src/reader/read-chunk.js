/** Reads chunks. */
import { CpbError } from '../errors.js';
import { teller } from '../progress.js';
import { big, checkRange } from './chunks.js';
import { collect, enginePieces } from './output.js';
import { structs } from './structs.js';

/** @import { Told } from '../progress.js' */
/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { ChunkReadOptions, Stored } from './chunks.js' */
/** @import { OpenFile, Verify } from './open-file.js' */

/** @type {Record<string, number>} */
const verifies = { first: 0, late: 1, never: 2 };

/**
 * @param {Verify | undefined} verify
 * @param {Verify} otherwise
 * @returns {number} a cpb_verify
 */
export function verifyOf(verify, otherwise) {
  const value = verifies[verify ?? otherwise];
  if (value === undefined) throw new CpbError('USAGE', `verify is ${verify}; expected 'first', 'late' or 'never'`);
  return value;
}

/** How many bytes of a chunk that shares its Riegeli chunk are given at once, rather than as they arrive. */
const AT_ONCE = 2 ** 20;

/**
 * Whether the chunk is in one Riegeli chunk with that before or behind it.
 *
 * @param {OpenFile} file @param {Engine} index @param {number} i
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
    const options = scope.struct(structs.chunk_reader_options, { verify, limits: file.limitsIn(scope) });
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

/** @template T @param {Engine} engine @param {(engine: Engine) => Promise<T>} use @returns {Promise<T>} */
export async function using(engine, use) {
  try {
    return await use(engine);
  } finally {
    engine.free();
  }
}

/** Frees the engine whose work failed. @param {Engine} engine */
export const freeing = (engine) => (/** @type {unknown} */ error) => {
  engine.free();
  throw error;
};

/** @typedef {ChunkReadOptions & { told?: Told }} Reading */

/**
 * The reading of one chunk.
 *
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {number} i
 * @param {import('./open.js').Load} load loads code that is seldom needed
 * @param {Verify | undefined} verify the file's choice
 * @param {number} size as the index says
 */
export function chunkReading(file, index, i, load, verify, size) {
  file.check();
  const shared = isShared(file, index, i);

  /**
   * @template T @param {number} offset @param {number} length @param {ChunkReadOptions} o @param {Verify} otherwise
   * @param {(reader: Engine) => Promise<T>} use
   */
  async function begun(offset, length, o, otherwise, use) {
    const how = verifyOf(o.verify ?? verify, otherwise);
    if (!shared) return using(readChunk(file, index, i, offset, length, how), use);
    const { usingShared } = await load();
    return usingShared(file, index, { i, offset, length, verify: how, signal: o.signal }, use);
  }

  const what = `chunk ${i}`;
  /** @param {number} offset @param {number} length @param {Reading} o @param {Verify} otherwise */
  const read = (offset, length, o, otherwise) => {
    const total = Math.max(0, Math.min(length, size - offset));
    const told = o.told ?? teller(o.onProgress, what, total);
    return begun(offset, length, o, otherwise, (reader) => collect(file, reader, { ...o, told }, total));
  };

  return {
    /** @param {ChunkReadOptions} [o] */
    bytes: (o = {}) => read(0, Infinity, o, 'late'),
    /** @param {number} offset @param {number} length @param {ChunkReadOptions} [o] */
    read(offset, length, o = {}) {
      checkRange(offset, length);
      return read(offset, length, o, 'never');
    },
    /** All of it, in pieces. @param {Reading} o @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>} */
    async *pieces(o) {
      if (shared && size <= AT_ONCE) return yield await read(0, Infinity, o, 'late');
      const begin = () => readChunk(file, index, i, 0, Infinity, verifyOf(o.verify ?? verify, 'late'));
      yield* enginePieces(file, begin, o.signal, o.told);
    },
    /** @param {ReadOptions} [o] @returns {Promise<Stored>} */
    async stored({ signal, onProgress } = {}) {
      const got = teller(onProgress, what);
      const { storedOf } = await load();
      return begun(0, 0, { verify: 'never', signal }, 'never', async (reader) => {
        await file.drive(reader, { signal, got });
        return storedOf(file, reader);
      });
    },
  };
}

/** Rarely needed parts of reading chunks: how they are stored, and chunks that share a Riegeli chunk. */
import { abortable, inTurn } from '../waiting.js';
import { big } from './chunks.js';
import { newReader } from './read-chunk.js';
import { structs } from './structs.js';

/** @import { Engine } from '../wasm/engine.js' */
/** @import { Stored } from './chunks.js' */
/** @import { OpenFile } from './open-file.js' */

/** The modules that only read do not tell the names. @type {Record<number, Stored['codec']>} */
const codecs = { 0: 'none', 98: 'brotli', 122: 'zstd', 115: 'snappy' };
const TRANSPOSED = 116;

/** @param {OpenFile} file @param {Engine} reader @returns {Stored} */
export function storedOf(file, reader) {
  const { size, index, riegeli } = file.instance.get(structs.chunk_stored, reader.call('stored'));
  return {
    size,
    index,
    begin: riegeli.begin,
    end: riegeli.end,
    records: riegeli.num_records,
    codec: codecs[riegeli.codec] ?? 'unknown',
    transposed: riegeli.type === TRANSPOSED,
  };
}

/** The file's first block header: its hash, and the chunk that it begins. */
const SIGNATURE = [0x83, 0xaf, 0x70, 0xd1, 0x0d, 0x88, 0x4a, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0, 64];

/** @param {OpenFile} file @param {AbortSignal} [signal] */
export async function isRiegeli({ source, held: [tail] }, signal) {
  const whole = tail?.offset === 0;
  const head = whole ? tail.bytes : await source.read(0, SIGNATURE.length, { signal });
  return SIGNATURE.every((byte, i) => byte === head[i]);
}

/**
 * The last reader of a chunk that shares its Riegeli chunk. It may still hold the decoded Riegeli chunk, so it also
 * reads the next chunk, after all earlier requests.
 * @typedef {{ reader?: Engine, verify?: number, inTurn: ReturnType<typeof inTurn> }} LastReader
 */

/** By the index. @type {WeakMap<Engine, LastReader>} */
const lastReaders = new WeakMap();

/**
 * Uses a reader that has begun with a range of a chunk which shares its Riegeli chunk.
 *
 * @template T
 * @param {OpenFile} file
 * @param {Engine} index
 * @param {{ i: number, offset: number, length: number, verify: number, signal?: AbortSignal }} what as for readChunk
 * @param {(reader: Engine) => Promise<T>} use
 * @returns {Promise<T>}
 */
export function usingShared(file, index, { i, offset, length, verify, signal }, use) {
  const last = lastReaders.get(index) ?? { inTurn: inTurn() };
  lastReaders.set(index, last);
  const work = last.inTurn(async () => {
    if (last.verify !== verify) last.reader?.free();
    const reader = last.verify === verify && last.reader?.pointer ? last.reader : newReader(file, index, verify);
    last.reader = undefined;
    try {
      reader.check('read', BigInt(i), big(offset), big(length));
      const result = await use(reader);
      reader.rest();
      Object.assign(last, { reader, verify });
      return result;
    } finally {
      if (last.reader !== reader) reader.free();
    }
  });
  return abortable(work, signal);
}

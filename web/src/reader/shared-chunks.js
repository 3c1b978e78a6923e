/** Chunks that share a Riegeli chunk: one reader reads them one after the other, and decodes the Riegeli chunk once. */
import { abortable } from '../source/abort.js';
import { big } from './chunks.js';
import { newReader } from './read-chunk.js';

/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile } from './open-file.js' */

/**
 * The last reader of a chunk that shares its Riegeli chunk. It may still hold the decoded Riegeli chunk, so it also
 * reads the next chunk, after all earlier requests.
 * @typedef {{ reader?: Engine, verify?: number, turn: Promise<unknown> }} LastReader
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
  const last = lastReaders.get(index) ?? { turn: Promise.resolve() };
  lastReaders.set(index, last);
  const work = last.turn.then(async () => {
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
  last.turn = work.catch(() => {});
  return abortable(work, signal);
}

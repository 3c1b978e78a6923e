/** How a file is stored: seldom used questions. */
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

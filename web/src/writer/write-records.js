/** writeRecords(): a Riegeli file of records. */
import { asBytes } from '../bytes.js';
import { isBytes } from '../collector.js';
import { CpbError } from '../errors.js';
import * as is from '../options.js';
import { abortable } from '../waiting.js';
import { MEMORY } from '../source/other.js';
import { DONE, ERROR, OUTPUT } from '../wasm/engine.js';
import { at } from '../wasm/instance.js';
import { outputOf } from './output.js';
import { advise, bufferOf, codecFields, codecOption, gatherer, pieceOf, withFile } from './pack.js';
import { checkAlone, writerOptions } from './riegeli.js';

/** @import { Limits } from '../types.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { How, Output, Piece } from './output.js' */
/** @import { PackOwnOptions } from './pack.js' */

/**
 * How to write records; everything is optional.
 * @typedef {object} WriteRecordsOptions
 * @property {PackOwnOptions['codec']} [codec] default: brotli of level 6, like Riegeli's writer
 * @property {number} [chunkSize] decoded bytes of a Riegeli chunk, with 8 more for each record;
 *   default 1 MiB, or 4 KiB without compression
 * @property {boolean} [transpose] records that are protobuf messages are stored by fields
 * @property {number} [bucketFraction] from 0 to 1: the share of a transposed chunk that is compressed together; default
 *   1
 * @property {string} [riegeliOptions] instead of the options above: the same and all other options of Riegeli in its
 *   own syntax, such as 'transpose,zstd:9,chunk_size:4M,pad_to_block_boundary'
 * @property {Uint8Array} [metadata] a serialized RecordsMetadata
 * @property {number} [memory] bytes, 256 MiB by default: the largest encoded record if the output is not seekable
 * @property {Limits} [limits]
 */

/**
 * The result of writing.
 * @typedef {{ records: number, size: number }} RecordsResult
 */

/**
 * The bytes of one record.
 * @typedef {Uint8Array | ArrayBuffer | ArrayBufferView} RecordBytes
 */
/**
 * Records in their order: an array, a generator, a stream.
 * @typedef {Iterable<RecordBytes> | AsyncIterable<RecordBytes>} RecordsInput
 */

/** The options that riegeliOptions replaces. @type {is.Known} */
const replaced = {
  codec: codecOption,
  chunkSize: is.size,
  transpose: is.flag,
  bucketFraction: is.fraction,
};

/** @type {is.Known} */
const known = { ...replaced, riegeliOptions: is.text, metadata: is.bytes, memory: is.amount, limits: is.limits };

/**
 * Makes a Riegeli file of records, in their order. They are read while the output is; only the Riegeli chunk being
 * filled is held in memory.
 *
 * @param {RecordsInput} records
 * @param {WriteRecordsOptions} [options]
 * @returns {Output<RecordsResult>}
 */
export function writeRecords(records, options = {}) {
  return outputOf((how) =>
    withFile(new Uint8Array(0), options, known, how, (file) => {
      checkAlone({ ...options }, Object.keys(replaced));
      return write(file, newWriter(file, options, how), records, how);
    }),
  );
}

/** Riegeli's default. */
const BROTLI = { name: /** @type {const} */ ('brotli') };

/** The bits of a double. @param {number} number */
const bitsOf = (number) => new BigUint64Array(new Float64Array([number]).buffer)[0];

/** @param {OpenFile} file @param {WriteRecordsOptions} options @param {How} how */
function newWriter(file, options, { seekable }) {
  const { codec = BROTLI, chunkSize, transpose = false, bucketFraction, memory = MEMORY } = options;
  const metadata = options.metadata && asBytes(options.metadata);
  return file.make('cpb_record_writer', (scope) => {
    const fields = {
      codec: codecFields(file.instance, codec),
      chunk_size: chunkSize,
      seekable: Number(seekable),
      buffer: bufferOf(seekable, memory),
      metadata: metadata && scope.bytes(metadata),
      metadata_size: metadata?.length,
      limits: file.limitsIn(scope),
      transpose: Number(transpose),
      // In C, 0 is the default.
      bucket_fraction: bitsOf(bucketFraction === 0 ? -1 : (bucketFraction ?? 0)),
    };
    const how = writerOptions(file.instance, scope, options.riegeliOptions, fields);
    return at(file.instance.c, 'cpb_record_writer_new')(0, how);
  });
}

/** Limits of the records that go into the module at once: bytes and number. A larger record goes in pieces. */
const BATCH = { bytes: 256 * 1024, records: 4096 };

/**
 * @param {OpenFile} file @param {Engine} writer @param {RecordsInput} records @param {How} how
 * @returns {AsyncGenerator<Piece, RecordsResult, void>}
 */
async function* write(file, writer, records, { signal, onProgress }) {
  const into = inserter(file, writer);
  const result = { records: 0, size: 0 };
  let done = 0;
  /** @param {Iterable<Piece>} pieces */
  function* told(pieces) {
    for (const piece of pieces) {
      result.size = Math.max(result.size, piece.offset + piece.bytes.length);
      yield piece;
    }
    onProgress?.({ of: 'records', done });
  }
  for await (const batch of batches(records, signal)) {
    for (const { length } of batch) done += length;
    result.records += batch.length;
    yield* told(into.put(batch));
    signal?.throwIfAborted();
  }
  yield* told(into.finish());
  onProgress?.({ of: 'records', done, total: done });
  return result;
}

/** Puts records into the engine, and yields its output. @param {OpenFile} file @param {Engine} writer */
function inserter({ instance, keep }, writer) {
  const room = instance.alloc(BATCH.bytes + 4 * BATCH.records);
  keep(() => instance.free(room));
  const sizes = room + BATCH.bytes;
  const gathered = gatherer();

  /** Yields all available output. */
  function* output() {
    for (let step; (step = writer.call('step')) !== DONE;) {
      if (step === ERROR) advise(writer.error());
      if (step !== OUTPUT) break;
      if (gathered.add(pieceOf(instance, writer))) yield* gathered.take();
    }
  }

  /** @param {string} method @param {...(number | bigint)} args */
  function* call(method, ...args) {
    if (writer.call(method, ...args) !== 0) advise(writer.error());
    yield* output();
  }

  /** @param {Uint8Array} record */
  function* putLarge(record) {
    yield* call('begin_record', BigInt(record.length));
    for (let begin = 0; begin < record.length; begin += BATCH.bytes) {
      const part = record.subarray(begin, begin + BATCH.bytes);
      instance.view(room, part.length).set(part);
      yield* call('write', room, part.length);
    }
  }

  /** @param {Uint8Array[]} records */
  function* putSmall(records) {
    let length = 0;
    const lengths = new Uint32Array(records.length);
    records.forEach((record, i) => {
      instance.view(room + length, record.length).set(record);
      lengths[i] = record.length;
      length += record.length;
    });
    instance.view(sizes, lengths.byteLength).set(new Uint8Array(lengths.buffer));
    yield* call('batch', room, sizes, records.length);
  }

  return {
    /** @param {Uint8Array[]} records */
    *put(records) {
      const [first] = records;
      yield* first && first.length > BATCH.bytes ? putLarge(first) : putSmall(records);
    },
    *finish() {
      yield* call('finish');
      yield* gathered.take();
    },
  };
}

/**
 * Lists of records that go into the module at once; a record that is too large is alone.
 *
 * @param {RecordsInput} records @param {AbortSignal} [signal]
 */
async function* batches(records, signal) {
  /** @type {Uint8Array[]} */
  let batch = [];
  let bytes = 0;
  let count = 0;
  for await (const given of inTurn(records, signal)) {
    if (!isBytes(given))
      throw new CpbError('USAGE', `record ${count} is ${typeof given}; expected a Uint8Array or another view of bytes`);
    const record = asBytes(given);
    if (batch.length === BATCH.records || (batch.length > 0 && bytes + record.length > BATCH.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(record);
    bytes += record.length;
    count++;
  }
  if (batch.length > 0) yield batch;
}

/**
 * The same, but an abort ends the waiting.
 *
 * @param {RecordsInput} records @param {AbortSignal} [signal] @returns {RecordsInput}
 */
function inTurn(records, signal) {
  if (typeof records === 'object' && records !== null) {
    if (Symbol.asyncIterator in records) return signal ? leaving(records, signal) : records;
    if (Symbol.iterator in records) return records;
  }
  throw new CpbError('USAGE', `records is ${typeof records}; expected an iterable, or an async one, of bytes`);
}

/** @param {AsyncIterable<RecordBytes>} records @param {AbortSignal} signal */
async function* leaving(records, signal) {
  const iterator = records[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(iterator.next(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // A hanging iterator must not block this for ever.
    Promise.resolve(iterator.return?.()).catch(() => {});
  }
}

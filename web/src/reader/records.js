/** openRecords(): the records of any Riegeli file. */
import { collector } from '../collector.js';
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../modules.js';
import * as is from '../options.js';
import { teller } from '../progress.js';
import { prepare } from '../source/index.js';
import { inTurn } from '../waiting.js';
import { DATA, DONE, RECORD, SKIPPED } from '../wasm/engine.js';
import { NONE } from '../wasm/instance.js';
import { big, checkOffset } from './chunks.js';
import { jsonOf } from './json.js';
import { disposable, openFile } from './open-file.js';
import { using, verifyOf } from './read-chunk.js';
import { openSchema, typeNamed } from './schema.js';
import { structs } from './structs.js';

/** @import { Cost, Limits, ReadOptions } from '../types.js' */
/** @import { Input, SourceOptions } from '../source/index.js' */
/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
/** @import { OpenFile, Verify } from './open-file.js' */
/** @import { Schema } from './schema.js' */

/**
 * A record of a Riegeli file.
 * @typedef {object} Record
 * @property {number} position identifies the record in the file: chunkBegin + index
 * @property {number} chunkBegin file offset of its Riegeli chunk
 * @property {number} index in that chunk
 * @property {number} size bytes
 * @property {Uint8Array} bytes the bytes, which belong to the caller
 * @property {any} [message] the bytes as JSON, with the option `type`
 */

/**
 * A damaged region that was skipped: bytes [begin, end) of the file.
 * @typedef {{ skipped: { begin: number, end: number, reason: string } }} Skipped
 */

/**
 * How to open a file of records; everything is optional.
 * @typedef {object} RecordsOptions
 * @property {AbortSignal} [signal] for opening
 * @property {ReadOptions['onProgress']} [onProgress] of calls without an onProgress of their own, and of `for await`
 * @property {number} [position] of the first record, see `at`; default 0, the beginning
 * @property {boolean} [recover] damaged regions are skipped and reported; default: an error
 * @property {Verify} [verify] default 'first'
 * @property {string | string[]} [fields] only these fields of the records, which are messages: paths such as 'id' and
 *   'meta.name', separated by commas; by name with `type`, otherwise by number: '1,4.2'. In a transposed Riegeli chunk,
 *   only these are decompressed
 * @property {string} [type] the full name of the records' message type: each then also has a `message`
 * @property {Uint8Array} [schema] the schema with that type, as for open()
 * @property {Limits} [limits]
 * @property {SourceOptions['http']} [http] as for urlSource
 * @property {SourceOptions['cache']} [cache]
 * @property {SourceOptions['retry']} [retry]
 * @property {Partial<Cost>} [budget]
 * @property {SourceOptions['memory']} [memory] the longest stream as an input, in bytes, which is held in memory;
 *   default 256 MiB
 */

/**
 * Each iteration begins at options.position; several may run at once. `for await` iterates over `records()`. An `Item`
 * is a Record; with `recover` also a Skipped.
 * @template [Item=Record]
 * @typedef {object} RecordsBase
 * @property {(options?: ReadOptions) => AsyncIterableIterator<Item[]>} batches several at a time, about 1 MiB
 * @property {(options?: ReadOptions) => AsyncIterableIterator<Item>} records one by one
 * @property {(position: number, options?: ReadOptions) => Promise<Record | undefined>} at the record at a position,
 *   which need not be exact: after the last record of a Riegeli chunk it is the next chunk's first one; undefined after
 *   the end
 * @property {(options?: ReadOptions) => Promise<Record | undefined>} last the file's last record
 * @property {(options?: ReadOptions) => Promise<number>} count the number of records in the file, from the headers of
 *   its Riegeli chunks, 40 bytes each, which are read once
 * @property {Nth} nth the records with these numbers, counted from 0, or with negative ones from the end
 * @property {(options?: ReadOptions) => Promise<Uint8Array | undefined>} metadata the file's
 *   serialized RecordsMetadata, if it has one that can be read
 * @property {Cost} transferred so far
 * @property {() => void} close frees everything
 */
/**
 * One record by its number, or several, in the requested order; each Riegeli chunk is decoded once. Undefined for
 * numbers beyond the file.
 * @typedef {{
 *   (number: number, options?: ReadOptions): Promise<Record | undefined>;
 *   (numbers: number[], options?: ReadOptions): Promise<(Record | undefined)[]>;
 * }} Nth
 */
/**
 * An opened file of records, which `using` also closes.
 * @template [Item=Record]
 * @typedef {RecordsBase<Item> & AsyncIterable<Item> & Disposable & AsyncDisposable} Records
 */

/** @type {import('../options.js').Known} */
const known = {
  signal: is.signal,
  onProgress: is.callback,
  position: is.size,
  recover: is.flag,
  verify: is.verify,
  fields: is.either(is.text, is.texts),
  type: is.text,
  schema: is.bytes,
  limits: is.limits,
  ...is.reading,
};

/** The size of a full batch. */
const BATCH = { bytes: 2 ** 20, records: 4096 };

/** The number of records taken in one call, if they are available. */
const RUN = 512;

/**
 * An opened file of records, and how its records are read.
 * @typedef {object} State
 * @property {OpenFile} file
 * @property {number} position of the first record
 * @property {ReadOptions['onProgress']} onProgress
 * @property {{ verify: number, recover: number }} how
 * @property {string} [fields] their numbers
 * @property {{ schema: Schema, type: number }} [messages] their message type
 * @property {Numbers} [numbers]
 */

/**
 * @template {boolean} [Recover=false]
 * @param {Input} input as for open()
 * @param {RecordsOptions & { recover?: Recover }} [options]
 * @returns {Promise<Records<true extends Recover ? Record | Skipped : Record>>}
 */
export async function openRecords(input, options = {}) {
  is.checkOptions(options, known);
  const { signal, onProgress, position = 0, limits, verify, recover } = options;
  signal?.throwIfAborted();
  const how = { verify: verifyOf(verify, 'first'), recover: Number(recover ?? false) };
  const source = prepare(input, options, openPath);
  // Only the module that also writes supports fields.
  const file = await openFile(await moduleFor(options.fields === undefined ? 'reader' : 'full'), source, limits);
  /** @type {State} */
  const state = { file, position, onProgress, how };
  try {
    describe(state, options);
  } catch (error) {
    file.close();
    throw error;
  }

  /** @param {ReadOptions} [o] */
  async function* one(o) {
    for await (const items of batches(state, o)) yield* items;
  }

  /** @type {RecordsBase<Record | Skipped>} */
  const records = {
    batches: (o) => batches(state, o),
    records: one,
    async at(at, o) {
      checkOffset('position', at);
      return firstAfter(state, (reader) => reader.call('seek', big(at)), o);
    },
    count: async (o) => numbersOf(state).count(howOf(state, o)),
    nth: /** @type {any} */ ((/** @type {any} */ at, /** @type {ReadOptions} */ o) => nth(state, at, o)),
    last: (o) => firstAfter(state, (reader) => reader.call('seek_last'), o),
    metadata: (o) => metadata(state, o),
    get transferred() {
      return source.transferred;
    },
    close: file.close,
  };
  return /** @type {any} */ (disposable(Object.assign(records, { [Symbol.asyncIterator]: () => one() })));
}

/** The type of the records, and the selected fields. @param {State} state @param {RecordsOptions} options */
function describe(state, { fields, type, schema: set }) {
  const { file } = state;
  if (type !== undefined) {
    const schema = openSchema(file, set);
    state.messages = { schema, type: typeNamed(schema, type) };
  }
  if (fields !== undefined) state.fields = fieldNumbers(file, fields, state.messages?.type ?? 0);
}

/**
 * Adds the message of the record.
 *
 * @template {Record | Skipped | undefined} Item @param {State} state @param {Item} item @param {AbortSignal} [signal]
 */
async function described({ file, messages }, item, signal) {
  if (messages && item && 'bytes' in item)
    item.message = await jsonOf(file, messages.schema, messages.type, item.bytes, signal);
  return item;
}

/** @param {State} state */
const numbersOf = (state) => (state.numbers ??= createNumbers(state));

/** @param {State} state @param {number | number[]} at @param {ReadOptions} [options] */
async function nth(state, at, options) {
  const numbers = Array.isArray(at) ? at : [at];
  numbers.forEach(checkNumber);
  const records = await numbersOf(state).read(numbers, howOf(state, options));
  for (const record of records) await described(state, record, options?.signal);
  return Array.isArray(at) ? records : records[0];
}

/** @param {State} state @param {number} position @param {() => void} [onFree] */
const newReader = ({ file, how, fields }, position, onFree) =>
  file.make(
    'cpb_record_reader',
    (scope) =>
      file.instance.c.cpb_record_reader_new(
        0,
        scope.struct(structs.record_reader_options, {
          ...how,
          position,
          fields: fields === undefined ? 0 : scope.string(fields),
          limits: file.limitsIn(scope),
        }),
      ),
    onFree,
  );

/** Progress is that of the file's bytes. @param {State} state @param {ReadOptions} [options] */
const howOf = (state, options) => ({
  signal: options?.signal,
  got: teller(options?.onProgress ?? state.onProgress, 'records'),
});

/** @param {State} state @param {ReadOptions} [options] */
async function* batches(state, options) {
  const { file, position } = state;
  const { signal, got } = howOf(state, options);
  let sizes = 0;
  const reader = newReader(state, position, () => file.instance.free(sizes));
  try {
    sizes = file.instance.alloc(4 * RUN);
    let known = position > 0; // Only a reader from the beginning reads all of it.
    for (const next = batcher(file, reader, sizes); ;) {
      const { items, done } = await next({ signal, got });
      if (got && !known) got(0, (await file.source.stat({ signal })).size);
      known = true;
      for (const item of items) await described(state, item, signal);
      if (items.length > 0) yield items;
      if (done) return;
    }
  } finally {
    reader.free();
  }
}

/**
 * The first record of a reader that was given a position.
 *
 * @param {State} state @param {(reader: Engine) => void} seek @param {ReadOptions} [options]
 */
const firstAfter = async (state, seek, options) =>
  using(newReader(state, 0), async (reader) => {
    seek(reader);
    const record = await firstOf(state.file, reader, howOf(state, options));
    return described(state, record, options?.signal);
  });

/** @param {State} state @param {ReadOptions} [options] */
const metadata = async (state, options) =>
  using(newReader(state, 0), async (reader) => {
    const { file } = state;
    await file.drive(reader, { ...howOf(state, options), onStep: (step) => step === RECORD });
    const bytes = reader.call('metadata', reader.out);
    return bytes ? file.instance.copy(bytes, file.instance.u32(reader.out)) : undefined;
  });

/**
 * Continues reading on each call; records before an error are returned first.
 *
 * @param {OpenFile} file
 * @param {Engine} reader
 * @param {number} sizes room for RUN of them
 */
function batcher(file, reader, sizes) {
  const take = taker(file, reader);
  const run = runner(file, reader, sizes);
  /** @type {{ error: unknown } | undefined} */
  let failed;

  return async (/** @type {DriveOptions} */ how) => {
    if (failed) throw failed.error;
    /** @type {(Record | Skipped)[]} */
    const items = [];
    let bytes = 0;
    /** @param {Record} record */
    const add = (record) => {
      items.push(record);
      bytes += record.size;
    };
    const isFull = () => bytes >= BATCH.bytes || items.length >= BATCH.records;
    const onStep = (/** @type {number} */ event) => {
      const item = take(event);
      if (!item) return false;
      if ('skipped' in item) items.push(item);
      else add(item);
      // The next records are expected to have the same size.
      while ('size' in item && !isFull() && run((BATCH.bytes - bytes) / item.size, add));
      return isFull();
    };
    try {
      const step = await file.drive(reader, { ...how, onStep });
      return { items, done: step === DONE };
    } catch (error) {
      if (items.length === 0) throw error;
      failed = { error };
      return { items, done: false };
    }
  };
}

/** Turns the events of a reader into records. @param {OpenFile} file @param {Engine} reader */
function taker({ instance }, reader) {
  /** @type {Record | undefined} the current record */
  let record;
  /** @type {ReturnType<typeof collector> | undefined} if it comes in several pieces */
  let pieces;
  let missing = 0;

  /** @param {Uint8Array} [bytes] */
  function whole(bytes) {
    const done = /** @type {Record} */ (record);
    if (bytes) done.bytes = bytes;
    record = pieces = undefined;
    return done;
  }

  function begin() {
    const { position, chunk_begin: chunkBegin, index, size } = instance.get(structs.record, reader.call('record'));
    record = { position, chunkBegin, index, size, bytes: new Uint8Array(0) };
    missing = size;
    return size === 0 ? whole() : undefined;
  }

  function more() {
    const data = reader.peek();
    const all = data.length === missing;
    missing -= data.length;
    if (all && !pieces) return whole(data.slice());
    (pieces ??= collector(record?.size)).add(data);
    return all ? whole(pieces.bytes()) : undefined;
  }

  /** @param {number} step @returns {Record | Skipped | undefined} */
  return (step) => {
    if (step === RECORD) return begin();
    if (step === DATA) return more();
    record = pieces = undefined; // a record in progress ends here
    if (step !== SKIPPED) return undefined;
    const { begin: from, end, reason } = instance.get(structs.skipped, reader.call('skipped'));
    return { skipped: { begin: from, end, reason: instance.text(reason) } };
  };
}

/**
 * Takes the available records after a complete one, at most `most` and RUN of them; false if it cannot.
 *
 * @param {OpenFile} file
 * @param {Engine} reader
 * @param {number} sizes room for RUN of them
 */
function runner({ instance }, { call, peek }, sizes) {
  return (/** @type {number} */ most, /** @type {(record: Record) => void} */ add) => {
    const count = call('batch', sizes, Math.max(1, Math.min(most, RUN)));
    if (count === 0) return false;
    const { chunk_begin: chunkBegin, index: last } = instance.get(structs.record, call('record'));
    const bytes = peek();
    const data = new DataView(bytes.buffer, sizes, 4 * count);
    for (let i = 0, at = 0; i < count; i++) {
      const index = last - count + 1 + i;
      const size = data.getUint32(4 * i, true);
      const position = chunkBegin + index;
      add({ position, chunkBegin, index, size, bytes: bytes.slice(at, (at += size)) });
    }
    return true;
  };
}

/** @param {OpenFile} file @param {Engine} reader @param {DriveOptions} how @returns {Promise<Record | undefined>} */
async function firstOf(file, reader, how) {
  const take = taker(file, reader);
  /** @type {Record | undefined} */
  let record;
  await file.drive(reader, {
    ...how,
    onStep(step) {
      const item = take(step);
      if (item && 'size' in item) record = item;
      return record !== undefined;
    },
  });
  return record;
}

/**
 * Reads by number: it keeps the known headers of Riegeli chunks, and the chunk that was read last.
 * @typedef {object} Numbers
 * @property {(how: DriveOptions) => Promise<number>} count
 * @property {(numbers: number[], how: DriveOptions) => Promise<(Record | undefined)[]>} read
 */

/** Uses a reader for one call at a time; after an error it is created again. @param {() => Engine} make */
function readerInTurn(make) {
  /** @type {Engine | undefined} */
  let kept;
  const next = inTurn();

  /** @template T @param {(reader: Engine) => Promise<T>} use @returns {Promise<T>} */
  return (use) =>
    next(async () => {
      const reader = (kept ??= make());
      try {
        return await use(reader);
      } catch (error) {
        kept = undefined;
        reader.free();
        throw error;
      } finally {
        if (kept) reader.rest();
      }
    });
}

/** @param {State} state @returns {Numbers} */
function createNumbers(state) {
  const { file } = state;
  const withReader = readerInTurn(() => newReader(state, 0));

  /** @param {Engine} reader @param {DriveOptions} how */
  async function count(reader, how) {
    if (!reader.call('count', reader.out)) {
      reader.call('seek_number', NONE);
      while ((await file.drive(reader, { ...how, onStep: () => true })) !== DONE);
      reader.call('count', reader.out);
    }
    return Number(file.instance.u64(reader.out));
  }

  /** @param {Engine} reader @param {number[]} numbers @param {DriveOptions} how */
  async function read(reader, numbers, how) {
    const fromEnd = numbers.some((number) => number < 0) ? await count(reader, how) : 0;
    const wanted = numbers.map((number) => (number < 0 ? number + fromEnd : number));
    /** @type {Map<number, Record | undefined>} */
    const found = new Map();
    for (const number of [...new Set(wanted)].sort((a, b) => a - b)) {
      if (number < 0) continue;
      reader.call('seek_number', BigInt(number));
      found.set(number, await firstOf(file, reader, how));
    }
    return wanted.map((number) => found.get(number));
  }

  return {
    count: (how) => withReader((reader) => count(reader, how)),
    read: (numbers, how) => withReader((reader) => read(reader, numbers, how)),
  };
}

/** @param {unknown} number */
function checkNumber(number) {
  if (Number.isSafeInteger(number)) return;
  throw new CpbError('USAGE', `a record's number is ${number}; expected a whole number, which is below 0 from the end`);
}

/**
 * Names of fields as numbers.
 *
 * @param {OpenFile} file
 * @param {string | string[]} fields
 * @param {number} type a message type, or 0
 * @returns {string}
 */
function fieldNumbers({ instance }, fields, type) {
  const names = typeof fields === 'string' ? fields : fields.join();
  return instance.scope((scope) => {
    const size = 30 * names.length + 1; // a character has at most 3 bytes
    const [out, error] = [scope.alloc(size), scope.struct('error')];
    if (instance.c.cpb_message_field_numbers(0, type, scope.string(names), out, size, error) !== 0)
      throw instance.error(error);
    return instance.text(out);
  });
}

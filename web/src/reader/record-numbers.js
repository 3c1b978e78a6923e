/** Records by number, and reading only some of their fields. */
import { CpbError } from '../errors.js';
import { DONE } from '../wasm/engine.js';
import { NONE } from '../wasm/instance.js';

/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
import { inTurn } from '../waiting.js';
/** @import { OpenFile } from './open-file.js' */
/** @import { Record } from './records.js' */

/**
 * Reads by number: it keeps the known headers of Riegeli chunks, and the chunk that was read last.
 * @typedef {object} Numbers
 * @property {(how: DriveOptions) => Promise<number>} count
 * @property {(numbers: number[], how: DriveOptions) => Promise<(Record | undefined)[]>} read
 */

/**
 * Uses a reader for one call at a time; after an error it is created again.
 *
 * @param {() => Engine} make
 */
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

/**
 * @param {OpenFile} file
 * @param {() => Engine} make a reader of records
 * @param {(reader: Engine, how: DriveOptions) => Promise<Record | undefined>} firstOf the next record
 * @returns {Numbers}
 */
export function createNumbers(file, make, firstOf) {
  const withReader = readerInTurn(make);

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
      found.set(number, await firstOf(reader, how));
    }
    return wanted.map((number) => found.get(number));
  }

  return {
    count: (how) => withReader((reader) => count(reader, how)),
    read: (numbers, how) => withReader((reader) => read(reader, numbers, how)),
  };
}

/** @param {unknown} number */
export function checkNumber(number) {
  if (!Number.isSafeInteger(number)) {
    throw new CpbError(
      'USAGE',
      `a record's number is ${number}; expected a whole number, which is below 0 from the end`,
    );
  }
}

/**
 * Names of fields as numbers.
 *
 * @param {OpenFile} file
 * @param {string | string[]} fields
 * @param {number} type a message type, or 0
 * @returns {string}
 */
export function fieldNumbers({ instance }, fields, type) {
  const names = typeof fields === 'string' ? fields : fields.join();
  return instance.scope((scope) => {
    const size = 30 * names.length + 1; // a character has at most 3 bytes
    const [out, error] = [scope.alloc(size), scope.struct('error')];
    if (instance.c.cpb_message_field_numbers(0, type, scope.string(names), out, size, error) !== 0)
      throw instance.error(error);
    return instance.text(out);
  });
}

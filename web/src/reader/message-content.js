/** The content of the (merged) message of an opened file: bytes, fields, and the cost of reading. */
import { sumOf } from '../bytes.js';
import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { teller } from '../progress.js';
import { abortable } from '../waiting.js';
import { piecesOf } from '../source/pieces.js';
import { joined } from './chunk-ranges.js';
import { checkRange } from './chunks.js';
import { mergedBody } from './merged-body.js';
import { otherFiles } from './other-file.js';
import { plainBody } from './plain-body.js';

export { isRiegeli, storedOf, usingShared } from './stored.js';

/** @import { Range, ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { FileRange } from './chunk-ranges.js' */
/** @import { Body, BodyOptions, Merged, Put } from './merged-body.js' */
/** @import { Verify } from './open-file.js' */
/** @import { State, What } from './open.js' */

/** The subject of progress reports. */
const MESSAGE = 'message';

/** The functions that need the complete index. @param {State} state */
function wholeOf(state) {
  const { file, index, options } = state;
  const { trustSizes, keepDamaged, verify, budget, http } = options;
  const guessed = options.type === undefined; // a guessed type is used for names only
  const how = { type: guessed ? 0 : state.type, trustSizes, keepDamaged, verify };
  const merged = index && mergedBody(file, index.engine, how);
  const body = merged ?? plainBody(file, (budget ?? http?.budget)?.bytes !== undefined);
  /** @type {ReturnType<import('./fields.js').fieldsOf> | undefined} */
  let find;
  return {
    body,
    merged,
    /** @param {string} path @param {ReadOptions} [options] */
    async field(path, options) {
      const { contextOf, fieldsOf } = await parts.fields();
      return (find ??= fieldsOf(contextOf(file, state.schema, body), state.type))(path, options);
    },
  };
}

/** @param {State} state */
export function contentOf(state) {
  const all = indexOf(state);
  /** @type {ReturnType<typeof wholeOf> | undefined} */
  let made;
  /** @param {ReadOptions} [options] */
  const whole = async (options) => {
    await all.read(options);
    return (made ??= wholeOf(state));
  };
  /** @type {ReturnType<import('./paged-fields.js').pagedFields> | undefined} */
  let paged;

  /** @param {string} path @param {ReadOptions} [options] */
  async function field(path, options) {
    if (!all.isThere()) {
      const { pagedFields } = await parts.fields();
      paged ??= pagedFields(state, all.take);
      const found = await paged(path, options);
      if (found) return found;
    }
    return (await whole(options)).field(path, options);
  }

  /** @param {ReadOptions} [options] */
  const planning = ({ signal, onProgress } = {}) => ({ signal, got: teller(onProgress, MESSAGE) });
  /** @param {BodyOptions & ReadOptions} [options] @returns {BodyOptions} */
  const reading = ({ onProgress, ...options } = {}) => ({ ...options, told: teller(onProgress, MESSAGE) });

  return {
    whole,
    field,
    readIndex: all.read,
    files: () => (state.index ? otherFiles(state.file.instance, state.index.engine) : []),
    /** @param {ReadOptions} [options] */
    size: async (options) => (await whole(options)).body.size(planning(options)),
    /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
    async read(offset, length, options) {
      checkRange(offset, length);
      return (await whole(options)).body.read(offset, length, reading(options));
    },
    /** @param {number} offset @param {number} length @param {ReadOptions & { verify?: Verify }} [options] */
    async *pieces(offset, length, options) {
      yield* piecesOf((await whole(options)).body.stream(offset, length, reading(options)));
    },
    /** @param {Put} put @param {BodyOptions} [options] */
    write: async (put, options) => (await whole(options)).body.write(put, options),
    /** @param {What} what @param {ReadOptions} [options] */
    async plan(what, options) {
      const { body, merged, field: find } = await whole(options);
      return planOf(body, merged, 'field' in what ? await find(what.field, options) : what, planning(options));
    },
  };
}

/** The index, of which some pages may not have been read. @param {State} state */
function indexOf(state) {
  const { file } = state;
  /** @type {Promise<void> | undefined} */
  let reading;
  const isThere = () => state.index?.whole !== false;

  /** Uses an index that is available now. @param {Engine} engine @returns {undefined} */
  function take(engine) {
    const { index } = state;
    if (isThere()) return void (index?.engine !== engine && engine.free());
    // An index that is being read is freed with the file.
    if (index?.engine !== engine && !reading) index?.engine.free();
    state.index = { engine, whole: true };
  }

  return {
    isThere,
    take,
    /**
     * Reads the rest of the index. An abort ends the waiting, not the reading, because others may wait for it.
     *
     * @param {ReadOptions} [options]
     */
    async read({ signal, onProgress } = {}) {
      file.check();
      const { index } = state;
      if (!index || isThere()) return;
      reading ??= file
        .drive(index.engine, { got: teller(onProgress, 'index') })
        .then(() => take(index.engine))
        .finally(() => (reading = undefined));
      await abortable(reading, signal);
    },
  };
}

/**
 * The data to read: chunks (requested at once), ranges of the (merged) message, such as a field's, or all of it as a
 * stream.
 * @typedef {{ chunks: number[] } | Range | { ranges: Range[] } | { merged: true }} Reading
 */

/**
 * The cost of a read.
 * @typedef {object} Plan
 * @property {number} requests
 * @property {number} bytes
 * @property {FileRange[]} ranges of the file, or of others that it refers to, one per request. Another file's size is
 *   requested on its first read, which is not in the plan
 */

/**
 * @param {Body} body @param {Merged | undefined} merged @param {Reading} what @param {BodyOptions} [options]
 * @returns {Promise<Plan>}
 */
async function planOf(body, merged, what, options) {
  const found = merged ? rangesOf(merged, what, options) : rangesOfPlain(body, what, options);
  const ranges = (await found).filter(({ length }) => length > 0);
  return { requests: ranges.length, bytes: sumOf(ranges), ranges };
}

/** @param {Merged} merged @param {Reading} what @param {BodyOptions} [options] */
async function rangesOf(merged, what, options) {
  if ('chunks' in what) return joined(what.chunks.map(merged.rangeOf));
  if ('merged' in what) return merged.windows();
  /** @type {FileRange[]} */
  const ranges = [];
  for (const { offset, length } of 'ranges' in what ? what.ranges : [what])
    ranges.push(...(await merged.rangesOf(offset, length, options)));
  return joined(ranges);
}

/** @param {Body} body @param {Reading} what @param {BodyOptions} [options] */
async function rangesOfPlain(body, what, options) {
  if ('chunks' in what) throw new CpbError('NOT_FOUND', 'a plain message has no chunks');
  if ('merged' in what) return [{ offset: 0, length: await body.size(options) }];
  return 'ranges' in what ? what.ranges : [what];
}

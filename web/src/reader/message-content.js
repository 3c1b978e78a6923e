/** The content of the (merged) message of an opened file: bytes, fields, and the cost of reading. */
import { parts } from '../parts.js';
import { teller } from '../progress.js';
import { abortable } from '../source/abort.js';
import { piecesOf } from '../source/pieces.js';
import { checkRange } from './chunks.js';
import { mergedBody } from './merged-body.js';
import { otherFiles } from './other-file.js';
import { plainBody } from './plain-body.js';
import { planOf } from './plan.js';

export { usingShared } from './shared-chunks.js';
export { isRiegeli, storedOf } from './stored.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { BodyOptions, Put } from './merged-body.js' */
/** @import { Verify } from './open-file.js' */
/** @import { State, What } from './open.js' */

/** The subject of progress reports. */
const MESSAGE = 'message';

/**
 * The functions that need the complete index.
 *
 * @param {State} state
 */
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

/**
 * The index, of which some pages may not have been read.
 *
 * @param {State} state
 */
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

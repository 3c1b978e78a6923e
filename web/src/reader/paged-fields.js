/**
 * Fields of a .cpb file whose index is in pages: reads only the pages that describe a field. They form the index of a
 * smaller message, which has little more than that field.
 */
import { abortable } from '../waiting.js';
import { piecesOf } from '../source/pieces.js';
import { streamOf } from '../source/streams.js';
import { contextOf, fieldIn, seeking } from './fields.js';
import { parsePath } from './find.js';
import { mergedBody } from './merged-body.js';
import { fits, treeOf } from './tree.js';

export { contextOf, fieldsOf } from './fields.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Field } from './fields.js' */
/** @import { Body, BodyOptions, Merged } from './merged-body.js' */
/** @import { State } from './open.js' */
/** @import { Scope } from '../wasm/instance.js' */

/** Is given an index after all of its pages were read. @typedef {(index: Engine) => undefined} Take */

/**
 * A part of the message, with one field.
 * @typedef {object} Part
 * @property {number} type of the message
 * @property {number} path pointer to the field's path in the part
 * @property {Merged} body
 * @property {() => void} free
 */

/**
 * A part that is kept; `users` read it.
 * @typedef {object} Kept
 * @property {string} path
 * @property {Promise<Part | undefined>} made undefined if the pages are not sufficient
 * @property {Part} [part] once it is there
 * @property {number} users
 */

/** The number of parts kept. A part that was freed is made again when its field is read again. */
const MANY = 4;

/**
 * @param {State} state @param {Take} take @param {string} path @param {BodyOptions} options
 * @returns {Promise<Part | undefined>}
 */
async function partFor(state, take, path, options) {
  const { file, schema, types } = state;
  for (const type of types) {
    const parsed = parsePath(file, path);
    const make = (/** @type {Scope} */ scope) => file.instance.c.cpb_index_new(0, file.limitsIn(scope));
    const index = file.make('cpb_index', make, () => parsed.free());
    try {
      if (index.call('want', type, parsed.pointer)) {
        await file.drive(index, options);
        const renamed = index.call('wanted');
        if (!renamed) return take(index);
        if (types.length === 1 || fits(schema, type, treeOf(file, index, schema, 0)))
          return partOf(state, index, type, renamed);
      }
      index.free();
    } catch (error) {
      index.free();
      throw error;
    }
  }
  return undefined;
}

/** @param {State} state @param {Engine} index @param {number} type @param {number} path @returns {Part} */
function partOf({ file, options }, index, type, path) {
  const { trustSizes, verify } = options;
  const how = { type: options.type === undefined ? 0 : type, trustSizes, verify, only: { type, path } };
  const body = mergedBody(file, index, how);
  return { type, path, body, free: () => (body.free(), index.free()) };
}

class Parts {
  #make;
  /** @type {Map<string, Kept>} by their paths, the last used one at the end */
  #kept = new Map();

  /** @param {(path: string, options: BodyOptions) => Promise<Part | undefined>} make */
  constructor(make) {
    this.#make = make;
  }

  /**
   * Lends the part for a path, until it is given back. An abort ends the waiting for it, not the making.
   *
   * @param {string} path @param {BodyOptions} [options]
   */
  async take(path, { signal, got } = {}) {
    const kept = this.#kept.get(path) ?? { path, made: this.#make(path, { got }), users: 0 };
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    kept.users++;
    try {
      kept.part = await abortable(kept.made, signal);
    } catch (error) {
      if (!signal?.aborted && this.#kept.get(path) === kept) this.#kept.delete(path);
      this.give(kept);
      throw error;
    }
    return kept;
  }

  /** @param {Kept} kept */
  give(kept) {
    kept.users--;
    for (const [path, { part, users }] of this.#kept) {
      if (this.#kept.size <= MANY) return;
      if (users > 0) continue;
      this.#kept.delete(path);
      part?.free();
    }
  }

  /** The part, if it exists already. @param {string} path */
  now(path) {
    return this.#kept.get(path)?.part;
  }

  /**
   * @template T @param {string} path @param {BodyOptions | undefined} options
   * @param {(part: Part | undefined) => Promise<T>} use
   */
  async use(path, options, use) {
    const kept = await this.take(path, options);
    try {
      return await use(kept.part);
    } finally {
      this.give(kept);
    }
  }
}

/** The message that a part merges to. @param {Parts} parts @param {string} path @returns {Body} */
function bodyOf(parts, path) {
  const there = (/** @type {Part | undefined} */ part) => /** @type {Part} */ (part).body;
  return {
    size: (options) => parts.use(path, options, async (part) => there(part).size(options)),
    read: (offset, length, options) =>
      parts.use(path, options, async (part) => there(part).read(offset, length, options)),
    stream: (offset, length, options = {}) =>
      streamOf(async function* pieces(signal) {
        const kept = await parts.take(path, { signal });
        try {
          yield* piecesOf(there(kept.part).stream(offset, length, { ...options, signal }));
        } finally {
          parts.give(kept);
        }
      }, options.signal),
    until: (offset) => parts.now(path)?.body.until?.(offset) ?? Infinity,
  };
}

/**
 * Makes the function that finds fields.
 *
 * @param {State} state
 * @param {Take} take
 * @returns {(path: string, options?: ReadOptions) => Promise<Field | undefined>} undefined: needs all pages
 */
export function pagedFields(state, take) {
  const parts = new Parts((path, options) => partFor(state, take, path, options));
  return (path, options) => {
    const seek = seeking(path, options);
    return parts.use(path, seek, async (part) => {
      if (!part) return undefined;
      const context = contextOf(state.file, state.schema, bodyOf(parts, path), false);
      return fieldIn(context, part.type, part.path, path, seek);
    });
  };
}

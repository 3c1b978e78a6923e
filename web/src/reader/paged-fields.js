/**
 * Fields of a .cpb file whose index is in pages: only those are read that tell of a field. What they tell is the
 * index of another message, which has the field and little else.
 */
import { abortable } from '../source/abort.js';
import { piecesOf, streamOf } from '../source/streams.js';
import { contextOf, fieldIn, seeking } from './fields.js';
import { parsePath } from './find.js';
import { mergedBody } from './merged-body.js';
import { fits, treeOf } from './tree.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Field } from './fields.js' */
/** @import { Body, BodyOptions, Merged } from './merged-body.js' */
/** @import { OpenFile, Verify } from './open-file.js' */
/** @import { Schema } from './schema.js' */

/**
 * @typedef {object} How
 * @property {Schema} schema
 * @property {number[]} types that the message may be of
 * @property {boolean} guessed then the type is used for names only
 * @property {boolean} trustSizes
 * @property {Verify} [verify]
 * @property {(index: Engine) => undefined} take is given an index of which all pages were read after all
 */

/**
 * A part of the message that has one field.
 * @typedef {object} Part
 * @property {number} type of the message
 * @property {number} path pointer to that of the field in the part
 * @property {Merged} body
 * @property {() => void} free
 */

/**
 * A part that is kept; `users` read it.
 * @typedef {object} Kept
 * @property {string} path
 * @property {Promise<Part | undefined>} made undefined: the pages do not tell all of it
 * @property {Part} [part] once it is there
 * @property {number} users
 */

/** How many are kept. What was freed is made again when its field is read again. */
const MANY = 4;

/**
 * @param {OpenFile} file
 * @param {How} how
 * @param {string} path
 * @param {BodyOptions} options
 * @returns {Promise<Part | undefined>}
 */
async function partFor(file, how, path, options) {
  for (const type of how.types) {
    const parsed = parsePath(file, path);
    const make = (/** @type {import('../wasm/instance.js').Scope} */ scope) =>
      file.instance.c.cpb_index_new(0, file.limitsIn(scope));
    const index = file.make('cpb_index', make, () => parsed.free());
    try {
      if (index.call('want', type, parsed.pointer)) {
        await file.drive(index, options);
        const renamed = index.call('wanted');
        if (!renamed) return how.take(index);
        if (!how.guessed || fits(how.schema, type, treeOf(file, index, how.schema, 0)))
          return partOf(file, how, index, type, renamed);
      }
      index.free();
    } catch (error) {
      index.free();
      throw error;
    }
  }
  return undefined;
}

/**
 * @param {OpenFile} file
 * @param {How} how
 * @param {Engine} index
 * @param {number} type
 * @param {number} path
 * @returns {Part}
 */
function partOf(file, { guessed, trustSizes, verify }, index, type, path) {
  const only = { type, path };
  const body = mergedBody(file, index, { type: guessed ? 0 : type, trustSizes, verify, only });
  return { type, path, body, free: () => (body.free(), index.free()) };
}

class Parts {
  #make;
  /** @type {Map<string, Kept>} by their paths, the one used last at the end */
  #kept = new Map();

  /** @param {(path: string, options: BodyOptions) => Promise<Part | undefined>} make */
  constructor(make) {
    this.#make = make;
  }

  /**
   * Lends the part for a path, until it is given back. An abort ends the waiting for it, not the making.
   *
   * @param {string} path
   * @param {BodyOptions} [options]
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

  /** What is there already. @param {string} path */
  now(path) {
    return this.#kept.get(path)?.part;
  }

  /**
   * @template T
   * @param {string} path
   * @param {BodyOptions | undefined} options
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

/**
 * The message that a part merges to.
 *
 * @param {Parts} parts
 * @param {string} path
 * @returns {Body}
 */
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
 * What finds fields.
 *
 * @param {OpenFile} file
 * @param {How} how
 * @returns {(path: string, options?: ReadOptions) => Promise<Field | undefined>} undefined: not without all pages
 */
export function pagedFields(file, how) {
  const parts = new Parts((path, options) => partFor(file, how, path, options));
  return (path, options) => {
    const seek = seeking(path, options);
    return parts.use(path, seek, async (part) => {
      if (!part) return undefined;
      const context = contextOf(file, how.schema, bodyOf(parts, path), false);
      return fieldIn(context, part.type, part.path, path, seek);
    });
  };
}

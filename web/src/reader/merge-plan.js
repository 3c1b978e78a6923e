/** How a .cpb file merges to one message: an engine that is created and planned on first use. */
import { abortable, inTurn } from '../waiting.js';
import { big, chunkInfo } from './chunks.js';
import { collect } from './output.js';
import { freeing, verifyOf } from './read-chunk.js';
import { structs } from './structs.js';

/** @import { Engine } from '../wasm/engine.js' */
/** @import { BodyOptions } from './merged-body.js' */
/** @import { OpenFile, Verify } from './open-file.js' */

/**
 * A range of the merged message that comes from one chunk, or is literal bytes (chunk undefined).
 * @typedef {object} Segment
 * @property {number} offset in the message
 * @property {number} length
 * @property {number | undefined} chunk
 * @property {boolean} whole whether it is the chunk as a whole
 */

/**
 * How to merge a message.
 * @typedef {object} MergeHow
 * @property {number} type of the merged message, or 0
 * @property {boolean} trustSizes
 * @property {Verify} [verify]
 * @property {boolean} [keepDamaged] parts that cannot be placed because a chunk is damaged are left out, to show the
 *   rest (cpb_merge_keep_damaged)
 * @property {{ type: number, path: number }} [only] the field to read, as pointers: the rest of the message need not be
 *   correct (cpb_merge_plan_for)
 */

/** The smallest read of planning; more is read if the next ones are close to each other. */
const SMALL = 1024;

export class MergePlan {
  #file;
  #index;
  #how;
  /** @type {Promise<Engine> | undefined} */
  #planning;
  /** @type {Engine | undefined} once it has its plan */
  #merge;
  /**
   * Engines with plans of their own, by how they verify if that differs from the one above.
   * @type {Map<Verify, Promise<Engine>>}
   */
  #others = new Map();
  /** Reads are sequential. */
  #inTurn = inTurn();

  /** @param {OpenFile} file @param {Engine} index @param {MergeHow} how */
  constructor(file, index, how) {
    this.#file = file;
    this.#index = index;
    this.#how = how;
  }

  /** A separate engine, without a plan. @param {Verify} verify @param {() => void} [onFree] */
  newMerge(verify, onFree) {
    const { type, trustSizes, keepDamaged, only } = this.#how;
    const { instance, limitsIn, make } = this.#file;
    const merge = make(
      'cpb_merge',
      (scope) => {
        const options = scope.struct(structs.merge_options, {
          verify: verifyOf(verify, 'late'),
          trust_sizes: Number(trustSizes),
          type,
          limits: limitsIn(scope),
        });
        return instance.c.cpb_merge_new(0, this.#index.pointer, options);
      },
      onFree,
    );
    if (keepDamaged) merge.check('keep_damaged');
    if (only) merge.check('plan_for', only.type, only.path);
    return merge;
  }

  /** @param {Verify} verify @param {BodyOptions['got']} [got] */
  async #make(verify, got) {
    const merge = this.newMerge(verify);
    // It reads numbers that are chunks and, without the index's sizes, the header of every chunk.
    await this.#file.drive(merge, { ahead: SMALL, got }).catch(freeing(merge));
    return merge;
  }

  /** @param {BodyOptions['got']} got */
  async #makeFirst(got) {
    return (this.#merge = await this.#make(this.#how.verify ?? 'never', got));
  }

  /** The planned engine with this verification. @param {Verify | undefined} verify by default as in planning */
  #verifying(verify) {
    if (!verify || verify === (this.#how.verify ?? 'never')) return this.#planned();
    const made = this.#others.get(verify) ?? this.#make(verify);
    this.#others.set(verify, made);
    return made;
  }

  /** The planned engine. An abort ends the waiting, not the planning, because others may wait for it.
   * @param {BodyOptions} [options] */
  async #planned(options) {
    this.#file.check();
    this.#planning ??= this.#makeFirst(options?.got);
    try {
      return await abortable(this.#planning, options?.signal);
    } catch (error) {
      if (!options?.signal?.aborted) this.#planning = undefined;
      throw error;
    }
  }

  /** Frees the engine. A failed one always fails the same way: the next call plans again. */
  forget() {
    this.#merge?.free();
    for (const made of this.#others.values()) made.then((merge) => merge.free()).catch(() => {});
    this.#others.clear();
    this.#merge = this.#planning = undefined;
  }

  /** The size of the merged message. @param {BodyOptions} [options] @returns {Promise<number>} */
  async size(options) {
    return (await this.#planned(options)).call('size');
  }

  /**
   * @param {number} offset
   * @param {number} length
   * @param {Uint8Array<ArrayBuffer>} out to be filled
   * @param {BodyOptions} [options] only `verify` applies, if given
   */
  read(offset, length, out, options) {
    const work = this.#inTurn(async () => {
      const merge = await this.#verifying(options?.verify);
      merge.check('read', big(offset), big(length));
      try {
        const told = (/** @type {number} */ more) => options?.signal?.aborted || options?.told?.(more);
        return await collect(this.#file, merge, { told }, length, out);
      } catch (error) {
        this.forget();
        throw error;
      }
    });
    return abortable(work, options?.signal);
  }

  /** @param {Engine} merge @param {number} i @returns {Segment} */
  #segment(merge, i) {
    const { instance } = this.#file;
    return instance.scope((scope) => {
      const out = scope.struct(structs.segment);
      merge.call('get_segment', i, out);
      const { offset, length, chunk, literal } = instance.get(structs.segment, out);
      if (literal) return { offset, length, chunk: undefined, whole: false };
      const { size } = chunkInfo(this.#file, this.#index, chunk);
      return { offset, length, chunk, whole: size === length };
    });
  }

  /**
   * The segments that have bytes of a range.
   *
   * @param {number} offset @param {number} length @param {BodyOptions} [options]
   */
  async segments(offset, length, options) {
    const merge = await this.#planned(options);
    const count = merge.call('num_segments');
    /** @type {Segment[]} */
    const found = [];
    for (let i = merge.call('find_segment', big(offset)); i < count; i++) {
      const segment = this.#segment(merge, i);
      if (segment.offset >= offset + length) break;
      found.push(segment);
    }
    return found;
  }

  /** The end of the segment with this byte; Infinity before there is a plan. @param {number} offset */
  endOfSegment(offset) {
    const merge = this.#merge;
    if (!merge) return Infinity;
    const { offset: begin, length } = this.#segment(merge, merge.call('find_segment', big(offset)));
    return begin + length;
  }

  /**
   * With keepDamaged: the reason why the first of the unreadable chunks that others go into cannot be read.
   * @param {BodyOptions} [options]
   */
  async damage(options) {
    const merge = await this.#planned(options);
    const error = this.#file.instance.error(merge.call('damage'));
    return error.message ? error : undefined;
  }
}

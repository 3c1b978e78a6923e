/** The content of the (merged) message of an opened file: bytes, fields, and what reading costs. */
import { teller } from '../progress.js';
import { contextOf, fieldsOf } from './fields.js';
import { mergedBody } from './merged-body.js';
import { plainBody } from './plain-body.js';
import { planOf } from './plan.js';

export { pagedFields } from './paged-fields.js';

/** @import { Cost, ReadOptions } from '../types.js' */
/** @import { SourceOptions } from '../source/index.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { OpenFile, Verify } from './open-file.js' */
/** @import { BodyOptions } from './merged-body.js' */
/** @import { What } from './open.js' */
/** @import { Schema } from './schema.js' */

/** What is told to be read. */
const MESSAGE = 'message';

/**
 * @param {OpenFile} file
 * @param {Engine | undefined} index none of a plain message
 * @param {object} how
 * @param {Schema} how.schema
 * @param {number} how.type
 * @param {boolean} how.guessed then the type is used for names only
 * @param {boolean} how.trustSizes
 * @param {boolean} [how.keepDamaged] see MergeHow
 * @param {Verify} [how.verify]
 * @param {Partial<Cost>} [how.budget]
 * @param {SourceOptions['http']} [how.http]
 */
export function contentOf(file, index, how) {
  const { schema, type, guessed, trustSizes, keepDamaged, verify, budget, http } = how;
  const merged = index && mergedBody(file, index, { type: guessed ? 0 : type, trustSizes, keepDamaged, verify });
  const body = merged ?? plainBody(file, (budget ?? http?.budget)?.bytes !== undefined);
  const field = fieldsOf(contextOf(file, schema, body), type);

  /** @param {ReadOptions} [options] */
  const planning = ({ signal, onProgress } = {}) => ({ signal, got: teller(onProgress, MESSAGE) });
  /** @param {BodyOptions & ReadOptions} [options] @returns {BodyOptions} */
  const reading = ({ onProgress, ...options } = {}) => ({ ...options, told: teller(onProgress, MESSAGE) });

  return {
    body,
    merged,
    field,
    /** @param {ReadOptions} [options] */
    size: (options) => body.size(planning(options)),
    /** @param {number} offset @param {number} length @param {ReadOptions} [options] */
    read: (offset, length, options) => body.read(offset, length, reading(options)),
    /** @param {number} offset @param {number} length @param {ReadOptions & { verify?: Verify }} [options] */
    stream: (offset, length, options) => body.stream(offset, length, reading(options)),
    /** @param {What} what @param {ReadOptions} [options] */
    plan: async (what, options) =>
      planOf(body, merged, 'field' in what ? await field(what.field, options) : what, planning(options)),
  };
}

/** split(): a message made into a .cpb file. */
import * as is from '../options.js';
import { teller } from '../progress.js';
import { big } from '../reader/chunks.js';
import { newSchema } from '../reader/schema.js';
import { feedAtOnce } from '../wasm/fetching.js';
import { at } from '../wasm/instance.js';
import { outputOf } from './output.js';
import { pack, packFields, packing, withFile } from './pack.js';
import { structs } from './riegeli.js';

/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Input } from '../source/index.js' */
/** @import { How, PackOptions } from './pack.js' */

/**
 * How a message is split.
 * @typedef {object} SplitOwnOptions
 * @property {string} [type] full name of the message's type, 'tensorflow.SavedModel' by default
 * @property {Uint8Array} [schema] a serialized FileDescriptorSet that has the type
 * @property {number} [maxChunkSize] bytes: a chunk is not larger where the message allows it;
 *   default 1 MiB, for compat 2^31 - 500
 * @property {number} [inlineMax] bytes: constants of this size or more move out; default
 *   64 KiB, for compat maxChunkSize
 * @property {{ splitter?: number, join?: number, badConsumers?: number[] }} [version] of the index
 */
/**
 * How a message is split and its chunks stored; all options may be left out.
 * @typedef {SplitOwnOptions & PackOptions} SplitOptions
 */

/** @type {import('../options.js').Known} */
const known = {
  type: is.text,
  schema: is.bytes,
  maxChunkSize: is.amount,
  inlineMax: is.amount,
  version: is.within({ splitter: is.whole, join: is.whole, badConsumers: is.anything }),
  ...packing,
};

/**
 * Makes a .cpb file of a message of any size. The input is read twice, and not held in
 * memory unless it is a stream.
 *
 * @param {Input} input what open() takes; a stream is held in memory
 * @param {SplitOptions} [options]
 */
export function split(input, options = {}) {
  return outputOf((how) =>
    withFile(input, options, known, how, async function* (file) {
      const engine = newSplit(file, options, how);
      const got = teller(how.onProgress, 'input');
      if (how.put) engine.feed = feedAtOnce(file.source, {}, got);
      await file.drive(engine, { signal: how.signal, step: 'plan', got });
      const chunks = engine.call('count');
      const isSplit = engine.call('is_split') !== 0;
      return { chunks, size: yield* pack(file, engine, how), isSplit };
    }),
  );
}

/** @param {OpenFile} file @param {SplitOptions} options @param {How} how */
function newSplit(file, options, how) {
  const { instance } = file;
  const { type, schema, version = {} } = options;
  const fields = {
    ...packFields(instance, options, how),
    max_chunk_size: options.maxChunkSize && big(options.maxChunkSize),
    inline_max: options.inlineMax && big(options.inlineMax),
    splitter_version: version.splitter,
    join_version: version.join,
    schema: schema && newSchema(file, schema),
  };
  /** @type {number[]} memory that the engine continues to use */
  const kept = [];
  const keep = (/** @type {Uint8Array} */ bytes) => {
    const pointer = instance.alloc(bytes.length);
    kept.push(pointer);
    instance.view(pointer, bytes.length).set(bytes);
    return pointer;
  };
  const bad = version.badConsumers ?? [];
  return file.make(
    'cpb_split',
    (scope) =>
      at(instance.c, 'cpb_split_new')(
        0,
        scope.struct(structs.split_options, {
          ...fields,
          type_name: type && keep(new TextEncoder().encode(`${type}\0`)),
          bad_consumers: keep(new Uint8Array(Int32Array.from(bad).buffer)),
          num_bad_consumers: bad.length,
          limits: file.limitsIn(scope),
        }),
      ),
    () => kept.forEach((pointer) => instance.free(pointer)),
  );
}

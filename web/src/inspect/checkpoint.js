/** The checkpoint beside a SavedModel, which has the values of its variables (cpb/checkpoint.h). */
import { CpbError } from '../errors.js';
import { openPath } from '../init.js';
import { prepare } from '../source/index.js';
import { at } from '../wasm/instance.js';
import { structs } from './structs.js';

/** @import { Told } from '../progress.js' */
/** @import { Input, Prepared } from '../source/index.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { OpenOptions } from '../reader/open.js' */

/**
 * Where a checkpoint's files are.
 * @typedef {object} CheckpointFiles
 * @property {Input} index its `variables.index`, of which all is read
 * @property {(name: string) => Input | undefined | Promise<Input | undefined>} data its data
 *   file of that name, such as 'variables.data-00000-of-00001', when it is needed; of it only
 *   what is asked for is read. Undefined where it is not at hand
 */

/** @typedef {Awaited<ReturnType<typeof openCheckpoint>>} Checkpoint */

/** The most that is read of an index, and of an object graph. */
const MOST = 64 * 2 ** 20;

/** The key of the object graph. */
export const GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH';

/**
 * A URL without its query and fragment. A path is left as it is: there `?` and `#` are part of a name.
 *
 * @param {string} text
 */
export const withoutQuery = (text) => (openPath && !/^(https?|file):/i.test(text) ? text : text.replace(/[?#].*/s, ''));

/**
 * The files in `variables/` beside a model.
 *
 * @param {Input} model
 * @returns {CheckpointFiles}
 */
function besideOf(model) {
  if (typeof model !== 'string' && !(model instanceof URL))
    throw new CpbError('USAGE', 'checkpoint: true needs a URL or path as the model; say where the files are otherwise');
  const text = String(model);
  const path = withoutQuery(text);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const [query = ''] = /^\?[^#]*/.exec(text.slice(path.length)) ?? [];
  const beside = (/** @type {string} */ name) => `${folder}variables/${name}${query}`;
  return { index: beside('variables.index'), data: beside };
}

/** @param {Prepared} source @param {AbortSignal} [signal] */
async function readWhole(source, signal) {
  const { size } = await source.stat({ signal });
  if (size > MOST)
    throw new CpbError('LIMIT', `the index of the checkpoint has ${size} bytes; expected at most ${MOST}`);
  return size > 0 ? source.read(0, size, { signal }) : new Uint8Array();
}

/**
 * @param {OpenFile} file
 * @param {Input} model
 * @param {CheckpointFiles | true} given
 * @param {OpenOptions} options
 * @param {Told} [told] of what is read
 */
export async function openCheckpoint(file, model, given, options, told) {
  const { instance } = file;
  const files = given === true ? besideOf(model) : given;
  const source = (/** @type {Input} */ input) => prepare(input, options, openPath);
  const index = source(files.index);
  const bytes = await readWhole(index, options.signal);
  index.close?.();
  told?.(bytes.length);
  const call = (/** @type {string} */ name, /** @type {any[]} */ ...args) =>
    at(instance.c, `cpb_checkpoint_${name}`)(...args);

  const pointer = instance.scope((scope) =>
    scope.made((error) => {
      const how = scope.struct(structs.checkpoint_options, { limits: file.limitsIn(scope) });
      return call('new', 0, scope.bytes(bytes), bytes.length, how, error);
    }),
  );
  file.keep(() => call('free', pointer));
  const shards = call('num_shards', pointer);

  /** What is stored under a key. @param {string} key */
  const find = (key) =>
    instance.scope((scope) => {
      const text = new TextEncoder().encode(key);
      const stored = call('find', pointer, scope.bytes(text), text.length);
      return stored ? instance.get(structs.stored, stored) : undefined;
    });

  /** @type {Map<number, Promise<Prepared | undefined>>} */
  const opened = new Map();

  /** @param {number} shard */
  async function open(shard) {
    const [number, count] = [shard, shards].map((n) => String(n).padStart(5, '0'));
    const input = await files.data(`variables.data-${number}-of-${count}`);
    if (input === undefined) return undefined;
    const data = source(input);
    file.keep(() => void Promise.resolve(data.close?.()).catch(() => {}));
    return data;
  }

  /** A data file by its number. @param {number} shard */
  function shardOf(shard) {
    const known = opened.get(shard) ?? open(shard);
    opened.set(shard, known);
    known.catch(() => opened.delete(shard));
    return known;
  }

  /** The data file that has what is stored under a key. @param {string} key */
  const dataOf = (key) => shardOf(find(key)?.shard ?? 0);

  return { pointer, find, dataOf, shardOf };
}

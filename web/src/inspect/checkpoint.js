/** A checkpoint: one next to a model, with the values of its variables, or one by itself (cpb/checkpoint.h). */
import { CpbError } from '../errors.js';
import { openPath } from '../modules.js';
import { prepare } from '../source/index.js';
import { freeing } from '../reader/read-chunk.js';
import { lazySource } from '../source/lazy-source.js';
import { memo } from '../waiting.js';
import { createFeed } from '../wasm/feed.js';
import { withoutQuery } from './address.js';
import { structs } from './structs.js';

/** @import { Told } from '../progress.js' */
/** @import { Input } from '../source/index.js' */
/** @import { Source } from '../types.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { OpenOptions } from '../reader/open.js' */
/** @import { Asker, State } from './inspect.js' */

/**
 * The files of a checkpoint.
 * @typedef {object} CheckpointFiles
 * @property {Input} [index] its `variables.index`, or its single file if it is of version 1; not for a checkpoint by
 *   itself, which is the model
 * @property {(name: string) => Input | undefined | Promise<Input | undefined>} data its data file of that name, such as
 *   'variables.data-00000-of-00001', called when it is needed; only the requested ranges are read. Undefined if it is
 *   not available
 */

/** @typedef {Awaited<ReturnType<typeof openCheckpoint>>} Checkpoint */

/** The key of the object graph. */
const GRAPH = '_CHECKPOINTABLE_OBJECT_GRAPH';

/** Whether the file does not exist, which S3 reports with 403. @param {any} error */
export const isAbsent = ({ code, status }) => code === 'READ' || (code === 'HTTP' && [403, 404, 410].includes(status));

/**
 * The files of the checkpoint next to a model: in `variables/`, or, next to model.meta, with the name of the model.
 *
 * @param {Input} model
 * @returns {CheckpointFiles & { old?: Input }} old: the file of a checkpoint of version 1
 */
function besideOf(model) {
  if (typeof model !== 'string' && !(model instanceof URL))
    throw new CpbError('USAGE', 'checkpoint: true needs a URL or path as the model; say where the files are otherwise');
  const text = String(model);
  const path = withoutQuery(text);
  const [query = ''] = /^\?[^#]*/.exec(text.slice(path.length)) ?? [];
  const isMeta = path.endsWith('.meta');
  const prefix = isMeta ? path.slice(0, -5) : `${path.slice(0, path.lastIndexOf('/') + 1)}variables/variables`;
  return {
    index: `${prefix}.index${query}`,
    data: (name) => `${prefix}${name.replace(/^variables/, '')}${query}`,
    old: isMeta ? prefix + query : undefined,
  };
}

/**
 * The files of a checkpoint by itself. Their names begin like that of its index, if it has one.
 *
 * @param {OpenFile} file @param {CheckpointFiles | true} [given] @returns {CheckpointFiles}
 */
function ofAlone({ source }, given) {
  const prefix = source.name?.replace(/^.*[/\\]/s, '').replace(/\.index$/, '') ?? 'variables';
  const data = typeof given === 'object' ? given.data : (/** @type {string} */ name) => source.beside?.(name);
  return { data: (name) => data(prefix + name.replace(/^variables/, '')) };
}

/**
 * Reads the index.
 *
 * @param {OpenFile} file
 * @param {Feed} feed of the index
 * @param {AbortSignal} [signal]
 * @param {Told} [told] reports progress of the reading
 */
async function read(file, feed, signal, told) {
  const { instance } = file;
  const engine = file.make('cpb_checkpoint', (scope) =>
    instance.c.cpb_checkpoint_new(0, scope.struct(structs.checkpoint_options, { limits: file.limitsIn(scope) })),
  );
  engine.feed = feed;
  await file.drive(engine, { signal, got: told }).catch(freeing(engine));
  engine.rest();
  return engine;
}

/** @typedef {(input: Input) => Source} Opened reads an input, until the model is closed */

/**
 * Reads the index; `again` makes feeds of the file that was read.
 *
 * @param {OpenFile} file @param {CheckpointFiles & { old?: Input }} files @param {Feed | undefined} own
 * @param {Opened} opened @param {AbortSignal} [signal] @param {Told} [told]
 */
async function begin(file, { index, old }, own, opened, signal, told) {
  if (!own && index === undefined)
    throw new CpbError('USAGE', 'checkpoint has no index; expected the index of the checkpoint beside the model');
  const readFrom = async (/** @type {Input | undefined} */ input) => {
    const from = input === undefined ? undefined : opened(input);
    const again = from ? () => createFeed(from) : () => /** @type {Feed} */ (own);
    return { again, engine: await read(file, again(), signal, told) };
  };
  return readFrom(index).catch((error) => {
    if (old === undefined || !isAbsent(error)) throw error;
    return readFrom(old).catch((second) => Promise.reject(isAbsent(second) ? error : second));
  });
}

/** Feeds of the data files. @param {CheckpointFiles} files @param {number} count @param {Opened} opened */
function shardsOf(files, count, opened) {
  /** By their numbers. @type {Map<number, Source>} */
  const sources = new Map();

  /** @param {number} shard */
  async function open(shard) {
    const [number, all] = [shard, count].map((n) => String(n).padStart(5, '0'));
    const name = `variables.data-${number}-of-${all}`;
    const input = await files.data(name);
    if (input !== undefined) return opened(input);
    sources.delete(shard);
    throw new CpbError('NOT_FOUND', `the data file ${name} was not found`);
  }

  const sourceOf = memo((/** @type {number} */ shard) => lazySource({}, () => open(shard)), sources);
  return (/** @type {number} */ shard) => createFeed(sourceOf(shard));
}

/**
 * @param {OpenFile} file
 * @param {object} from
 * @param {Input} from.model the model next to it
 * @param {CheckpointFiles | true} [from.given]
 * @param {Feed} [from.own] the feed of a checkpoint opened by itself
 * @param {OpenOptions} options
 * @param {Told} [told] reports progress of the reading
 */
async function openCheckpoint(file, { model, given, own }, options, told) {
  const { instance } = file;
  /** @type {Opened} */
  const opened = (input) => {
    const source = prepare(input, options, openPath);
    file.keep(() => void Promise.resolve(source.close?.()).catch(() => {}));
    return source;
  };
  const files = own ? ofAlone(file, given) : typeof given === 'object' ? given : besideOf(model);
  const { engine, again } = await begin(file, files, own, opened, options.signal, told);
  // In version 1 the values are in the same file.
  const feedOf = engine.call('version') === 1 ? again : shardsOf(files, engine.call('num_shards'), opened);

  /** The entry of a key. @param {string} key */
  const find = (key) =>
    instance.scope((scope) => {
      const text = new TextEncoder().encode(key);
      const stored = engine.call('find', scope.bytes(text), text.length);
      return stored ? instance.get(structs.stored, stored) : undefined;
    });

  /** Feeds of its files, for one reader. @returns {(shard: number) => Feed} */
  const feeds = () => memo((/** @type {number} */ shard) => feedOf(shard));
  return { pointer: engine.pointer, find, feeds };
}

/**
 * Opens a checkpoint for an opened model.
 *
 * @param {State} state @param {Asker} asking @param {Parameters<typeof openCheckpoint>[1]} from
 * @param {OpenOptions} options @param {Told} [told]
 */
export async function addCheckpoint(state, asking, from, options, told) {
  const checkpoint = await openCheckpoint(state.file, from, options, told);
  const graph = await objectGraphOf(state, checkpoint, options.signal).catch((error) => {
    if (error.code !== 'NOT_FOUND' && !(from.own && isAbsent(error))) throw error;
    return undefined;
  });
  await asking.setCheckpoint(checkpoint, graph);
  state.checkpoint = checkpoint;
}

/**
 * The text of the checkpoint's object graph, which follows its length; undefined if the checkpoint has none.
 *
 * @param {State} state @param {import('./checkpoint.js').Checkpoint} checkpoint @param {AbortSignal} [signal]
 */
async function objectGraphOf(state, checkpoint, signal) {
  if (!checkpoint.find(GRAPH)) return undefined;
  const { valuesOf } = await import('./values.js');
  const found = await valuesOf(state, GRAPH, { signal, exactTexts: true }, checkpoint);
  return (await found.bytes({ signal })).subarray(8);
}

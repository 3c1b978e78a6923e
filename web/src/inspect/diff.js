/** diff(): the differences between two models (cpb/diff.h). */
import { CpbError } from '../errors.js';
import * as is from '../options.js';
import { teller } from '../progress.js';
import { memo } from '../waiting.js';
import { drive } from '../wasm/engine.js';
import { fileOf, openCore } from '../reader/open-file.js';
import { otherFile } from '../reader/other-file.js';
import { isWeak } from '../source/headers.js';
import { isAbsent } from './checkpoint.js';
import { openInside } from './inspect.js';
import { delegated } from './model.js';
import { structs } from './structs.js';

/** @import { ReadOptions } from '../types.js' */
/** @import { Input, Prepared } from '../source/index.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Differences } from './answers.js' */
/** @import { InspectOptions } from './inspect.js' */

/**
 * How two models are compared; all options may be left out.
 * @typedef {object} DiffOptions
 * @property {InspectOptions} [a] how to open the first, and the files next to it
 * @property {InspectOptions} [b] the same for the second
 * @property {boolean} [skipValues] neither values of constants nor checksums of variables are
 *   compared, and no values are read
 * @property {boolean} [sameFile] both are the same file in the same state, and so are the files next to it: values
 *   are not compared. Default: true for the same URL with the same strong ETag
 * @property {number} [maxDifferences] how many are listed in each section; default 100. All are counted
 * @property {AbortSignal} [signal]
 * @property {ReadOptions['onProgress']} [onProgress]
 */

/** @type {import('../options.js').Known} */
const known = {
  a: is.anything,
  b: is.anything,
  skipValues: is.flag,
  sameFile: is.flag,
  maxDifferences: is.size,
  signal: is.signal,
  onProgress: is.callback,
};

/** Longer texts are compared by their lengths alone. */
const TEXTS = 16 * 1024;

/**
 * Asks both models the same questions and compares the answers, including values of constants. Values of
 * variables are compared if both models have a `checkpoint`, and are read only if their checksums differ. A
 * .pb and the .cpb made from it are equal.
 *
 * @param {Input} a as for inspect()
 * @param {Input} b
 * @param {DiffOptions} [options]
 * @returns {Promise<Differences>}
 */
export async function diff(a, b, options = {}) {
  is.checkOptions(options, known);
  const { signal, onProgress } = options;
  const how = { maxValue: TEXTS, signal, onProgress };
  const first = await openInside(a, { ...how, ...options.a }, { models: true });
  const { file } = first.state;
  try {
    const second = await openInside(b, { ...how, ...options.b }, { within: within(file), models: true });
    const sameFile = options.sameFile ?? (isSameUrl(a, b) && (await isSameState([first, second])));
    return await compared(file, [first, second], { ...options, sameFile });
  } finally {
    file.close();
  }
}

/** @param {Input} a @param {Input} b */
const isSameUrl = (a, b) =>
  (typeof a === 'string' || a instanceof URL) && (typeof b === 'string' || b instanceof URL) && String(a) === String(b);

/** @param {Inside[]} models */
async function isSameState(models) {
  const [a, b] = await Promise.all(models.map(({ state }) => state.file.source.stat()));
  return a?.etag !== undefined && !isWeak(a.etag) && a.etag === b?.etag;
}

/**
 * Opens another file in the same instance, as the engine takes both. It is closed with the first.
 *
 * @param {OpenFile} file @returns {(source: import('../source/index.js').Prepared) => OpenFile}
 */
const within =
  ({ instance, limits, limitsIn, keep }) =>
  (source) => {
    const core = openCore(instance, source, () => {});
    keep(core.close);
    return fileOf(core, instance, source, limits, limitsIn);
  };

/** @typedef {Awaited<ReturnType<typeof openInside>>} Inside */

/**
 * @param {OpenFile} file @param {[Inside, Inside]} models @param {DiffOptions} options @returns {Promise<Differences>}
 */
async function compared(file, models, { skipValues, sameFile, maxDifferences, signal, onProgress }) {
  const [a, b] = models;
  const engine = file.make('cpb_diff', (scope) =>
    file.instance.c.cpb_diff_new(
      0,
      a.asking.engine.pointer,
      b.asking.engine.pointer,
      scope.struct(structs.diff_options, {
        max_differences: maxDifferences,
        skip_values: skipValues ? 1 : 0,
        same_file: sameFile ? 1 : 0,
        limits: file.limitsIn(scope),
        checkpoints: { a: a.state.checkpoint?.pointer ?? 0, b: b.state.checkpoint?.pointer ?? 0 },
      }),
    ),
  );
  const both = switched(file, engine, models);
  const sources = models.map(({ state }) => state.file.source);
  const others = () => /** @type {Prepared} */ (sources[engine.call('side')]).others();
  const source = /** @type {Prepared} */ ({ ...file.source, others });
  await drive(file.instance, both, source, { signal, got: teller(onProgress, 'differences') }).catch((error) => {
    throw about(engine.call('side'), error);
  });
  return JSON.parse(new TextDecoder().decode(engine.peek('result')));
}

/**
 * Feeds of other files of one model. Their numbers are those of one array at a time: they are kept by
 * their names.
 *
 * @extends {Map<any, Feed>}
 */
class ByName extends Map {
  #now;

  /** @param {() => string} now which is needed now */
  constructor(now) {
    super();
    this.#now = now;
  }

  get() {
    return super.get(this.#now());
  }

  /** @param {number} _ @param {Feed} feed */
  set(_, feed) {
    return super.set(this.#now(), feed);
  }
}

/** The number of no shard, -1: the message. */
const MESSAGE = Infinity;

/**
 * The engine with the feed from which it currently needs bytes. Each model's bytes are lent in a separate block, as
 * they are used while the other model's are fetched.
 *
 * @param {OpenFile} file @param {Engine} engine @param {Inside[]} models @returns {Engine}
 */
function switched({ instance, keep }, engine, models) {
  const other = () => otherFile(instance, (out) => instance.c.cpb_input_other(engine.call('input'), out)).name;
  const sides = models.map(({ state }) => ({
    feedOf: feedsOf(state),
    others: new ByName(other),
    lent: { pointer: 0, size: 0 },
  }));
  keep(() => sides.forEach(({ lent }) => lent.pointer && instance.free(lent.pointer)));
  const side = () => /** @type {(typeof sides)[0]} */ (sides[engine.call('side')]);
  return {
    ...engine,
    feed: Object.assign(
      delegated(() => side().feedOf(engine.call('shard'))),
      { stop() {} },
    ),
    get others() {
      return side().others;
    },
    get lent() {
      return side().lent;
    },
  };
}

/**
 * The feeds of a model's message and of the shards of its checkpoint.
 *
 * @param {Inside['state']} state @returns {(shard: number) => Feed}
 */
function feedsOf({ feed, checkpoint }) {
  const feedOf = checkpoint?.feeds();
  const shardOf = feedOf && memo((/** @type {number} */ shard) => orEmpty(feedOf(shard)));
  return (shard) => (shard === MESSAGE || !shardOf ? feed : shardOf(shard));
}

/** A shard that is not there is empty, and its values count as unreadable. @param {Feed} feed @returns {Feed} */
function orEmpty(feed) {
  let isLost = false;
  const unless = (/** @type {any} */ error) => {
    if (error.code !== 'NOT_FOUND' && !isAbsent(error)) throw error;
    isLost = true;
  };
  return {
    get size() {
      return isLost ? 0 : feed.size;
    },
    get got() {
      return feed.got;
    },
    at: (offset) => feed.at(offset),
    fetch: (...args) => feed.fetch(...args).catch(unless),
    measure: (...args) => feed.measure(...args).catch(unless),
    stop: () => feed.stop(),
  };
}

/** An error names the model that it is about. @param {number} side @param {any} error */
function about(side, error) {
  const model = ['the first model', 'the second model'][side];
  if (!model || !(error instanceof CpbError) || error.code === 'CLOSED') return error;
  return new CpbError(error.code, `${model}: ${error.message}`, error);
}

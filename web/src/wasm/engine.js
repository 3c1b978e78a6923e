/** Drives an engine of the C API: steps it, and provides the bytes it needs from a source. */
import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { at } from './instance.js';
import { isOver, turn } from './turn.js';
import { createFeed } from './feed.js';
import { structs } from './structs.js';

/** @import { Told } from '../progress.js' */
/** @import { Prepared } from '../source/index.js' */
/** @import { Source } from '../types.js' */
/** @import { Feed, FeedOptions } from './feed.js' */
/** @import { Instance } from './instance.js' */

/** The results of a step (cpb_step). */
export const ERROR = 0xffffffff,
  DONE = 0,
  NEED = 1,
  RECORD = 2,
  DATA = 3,
  SKIPPED = 4,
  OUTPUT = 5;

/**
 * An engine in an instance. Its creator frees it with `free`, once.
 * @typedef {object} Engine
 * @property {number} pointer
 * @property {(method: string, ...args: (number | bigint)[]) => any} call the C
 *   function `${name}_${method}` on it; an error code that it returns is not thrown
 * @property {(method: string, ...args: (number | bigint)[]) => void} check the same
 *   for functions that return a cpb_code: throws the engine's error, if it is one
 * @property {(method?: string) => Uint8Array} peek the bytes that `${name}_data` (or another method of that shape)
 *   lends: valid until the next call
 * @property {() => CpbError} error the engine's
 * @property {() => void} rest ends its reading; when driven again, it gets a new feed
 * @property {(size: number) => number} own memory that is freed with it
 * @property {() => void} free frees it, and also ends its reading
 * @property {Feed | undefined} feed
 * @property {(file: number) => FeedOptions['around']} [around] of another file: see the feed's option
 * @property {Map<number, Feed>} others the feeds of other files that it reads, in the order of their first use
 * @property {{ pointer: number, size: number }} lent the block of memory that its input is copied to
 * @property {number} out scratch for structs and lengths that C functions fill
 */

/** Room for a cpb_need, or for an offset and length that a function sets. */
const SCRATCH = structs.need.size;

const LENT_LEAST = 64 * 1024;
const NEED_SIZE = 2;
const NEED_DICTIONARY = 3;

/**
 * Calls an engine's functions, each of which is looked up once.
 *
 * @param {Instance} instance @param {string} name @param {() => number} pointer @returns {Engine['call']}
 */
function callerOf({ c }, name, pointer) {
  /** @type {Map<string, (...args: any[]) => any>} */
  const methods = new Map();
  return (method, ...args) => {
    const self = pointer();
    if (!self) throw new CpbError('CLOSED', 'the file was closed');
    let f = methods.get(method);
    if (!f) methods.set(method, (f = at(c, `${name}_${method}`)));
    return f(self, ...args);
  };
}

/**
 * @param {Instance} instance
 * @param {string} name
 * @param {number} pointer the result of `${name}_new`; 0 throws MEMORY
 * @param {() => void} [onFree] frees the engine's arguments
 * @returns {Engine}
 */
export function engineOf(instance, name, pointer, onFree) {
  if (!pointer) {
    onFree?.();
    throw new CpbError('MEMORY', `cannot make ${name}: out of memory, or an option is out of range`);
  }
  const out = instance.alloc(SCRATCH);
  const owned = [out];
  const call = callerOf(instance, name, () => engine.pointer);
  instance.users++;

  /** @type {Engine} */
  const engine = {
    pointer,
    call,
    check(method, ...args) {
      const code = call(method, ...args);
      if (code === 0) return;
      const error = engine.error();
      throw error.message ? error : new CpbError('NOT_FOUND', 'no such chunk, record or field');
    },
    peek(method = 'data') {
      const bytes = call(method, out);
      return instance.view(bytes, instance.u32(out));
    },
    error: () => instance.error(call('error')),
    rest() {
      engine.feed?.stop();
      for (const feed of engine.others.values()) feed.stop();
      engine.feed = undefined;
      engine.others.clear();
    },
    own(size) {
      const pointer = instance.alloc(size);
      owned.push(pointer);
      return pointer;
    },
    free() {
      if (!engine.pointer) return;
      engine.rest();
      instance.users--;
      const p = engine.pointer;
      engine.pointer = 0;
      instance.c[`${name}_free`](p);
      if (engine.lent.pointer) instance.free(engine.lent.pointer);
      owned.forEach(instance.free, instance);
      onFree?.();
    },
    feed: undefined,
    others: new Map(),
    lent: { pointer: 0, size: 0 },
    out,
  };
  return engine;
}

/**
 * @typedef {object} DriveOptions
 * @property {AbortSignal} [signal] ends the call with its reason; the engine can then be driven again
 * @property {(step: number) => boolean | void} [onStep] called for every step but
 *   NEED, DONE and ERROR; true ends the call
 * @property {string} [step] the method, 'step' by default
 * @property {number[]} [args] its arguments
 * @property {Told} [got] called with the number of bytes from the source
 * @property {() => boolean} [pause] called before a request; true ends the call, with NEED as the result
 */

/**
 * Steps `engine` until it is done (and returns DONE) or until `onStep` returns true (and returns that step); drive it
 * again to continue. The bytes it needs come from `source`. Steps without a new need run synchronously, but yield from
 * time to time to the event loop, for example to timers that abort the signal. Errors of the engine and of the source
 * are thrown; after one of the source it can be driven again.
 *
 * The feed options apply when the engine is driven for the first time.
 *
 * @param {Instance} instance @param {Engine} engine @param {Source | Prepared} source
 * @param {DriveOptions & FeedOptions} [options] @returns {Promise<number>}
 */
export async function drive(instance, engine, source, options = {}) {
  const { signal, onStep, step: method = 'step', args = [], pause, got, ...feeding } = options;
  const act = () => engine.call(method, ...args);
  signal?.throwIfAborted();
  // The feed keeps its options: functions that are called here may refer to the file, which could then never be closed.
  engine.feed ??= createFeed(source, feeding);
  for (;;) {
    const step = stepOn(instance, engine, act, onStep);
    if (step === ERROR) throw await explained(engine.error(), source);
    if (step !== NEED) {
      // Not directly before a need, so that the needs of several engines are requested together.
      if (isOver()) await turn();
      signal?.throwIfAborted();
      if (step !== undefined) return step;
      continue;
    }
    if (pause?.()) return NEED;
    const { kind, file, offset, length, ahead } = needOf(instance, engine);
    if (kind === NEED_DICTIONARY) {
      await (await parts.reading()).giveDictionary(instance);
      continue;
    }
    const feed =
      feedOf(engine, file) ??
      (await (await /** @type {Prepared} */ (source).others()).feed(instance, engine, file, options));
    const before = feed.got;
    // No input is that long, so requesting the size is enough to detect that.
    if (kind === NEED_SIZE || offset > Number.MAX_SAFE_INTEGER) await feed.measure(length, { signal });
    else await feed.fetch(offset, length, ahead, { signal });
    got?.(feed.got - before);
    if (!answered(instance, engine))
      throw new CpbError('READ', `the source returned no bytes at ${offset}`, { offset });
  }
}

/**
 * Adds to damage that the file may have changed, if its source would not notice that.
 *
 * @param {CpbError} error @param {Source | Prepared} source
 */
async function explained(error, source) {
  if (error.code !== 'DAMAGED' || !('near' in source) || source.near) return error;
  try {
    const { etag } = await source.stat();
    return etag ? error : (await parts.unusual()).perhapsChanged(error);
  } catch {
    return error;
  }
}

/**
 * The synchronous part: steps until it must wait or report, or until its turn is over (undefined).
 *
 * @param {Instance} instance
 * @param {Engine} engine
 * @param {() => number} act makes one step
 * @param {DriveOptions['onStep']} onStep
 */
function stepOn(instance, engine, act, onStep) {
  for (;;) {
    const step = act();
    instance.checkMemory();
    if (step === DONE || step === ERROR) return step;
    if (step === NEED ? !answered(instance, engine) : onStep?.(step)) return step;
    if (isOver()) return undefined;
  }
}

/**
 * @param {Instance} instance @param {Engine} engine
 * @returns {{ kind: number, file: number, offset: number, length: number, ahead: number }}
 */
function needOf(instance, engine) {
  instance.c.cpb_input_need(engine.call('input'), engine.out);
  return instance.get('need', engine.out);
}

/** @param {Engine} engine @param {number} file */
const feedOf = ({ feed, others }, file) => (file ? others.get(file) : feed);

/**
 * Satisfies a need, if the bytes are available or can be read synchronously.
 *
 * @param {Instance} instance @param {Engine} engine
 */
function answered(instance, engine) {
  const { kind, file, offset, length, ahead } = needOf(instance, engine);
  const feed = feedOf(engine, file);
  if (!feed || kind > NEED_SIZE) return false;
  const { size } = feed;
  const isSize = kind === NEED_SIZE;
  const bytes = isSize ? undefined : feed.at(offset);
  const isEnd = size !== undefined && (isSize || offset >= size);
  const lent = bytes
    ? lend(instance, engine, bytes, length)
    : !isSize && !isEnd && feed.readInto?.(offset, length, ahead, (most) => roomFor(instance, engine, most));
  // Without bytes, the answer is that they are lost. The size alone would not be an answer: a caller that stops waiting
  // for the bytes may drive the engine again.
  const isThere = bytes || lent;
  if (!isThere && !isEnd) return false;
  const input = [engine.call('input'), ...(file ? [file] : [])];
  const other = file ? '_other' : '';
  if (size !== undefined) instance.c[`cpb_input_end${other}`](...input, BigInt(size));
  if (isThere) instance.c[`cpb_input_supply${other}`](...input, BigInt(offset), engine.lent.pointer, lent);
  return true;
}

/** The engine's one block, for so many bytes. @param {Instance} instance @param {Engine} engine @param {number} size */
function roomFor(instance, { lent }, size) {
  if (lent.size < size) {
    if (lent.pointer) instance.free(lent.pointer);
    lent.pointer = lent.size = 0;
    lent.pointer = instance.alloc(size);
    lent.size = size;
  }
  return instance.view(lent.pointer, size);
}

/**
 * Copies at least the bytes that will certainly be used into the engine's block; returns their number.
 *
 * @param {Instance} instance @param {Engine} engine @param {Uint8Array} bytes @param {number} length
 */
function lend(instance, engine, bytes, length) {
  const size = Math.min(bytes.length, Math.max(length, LENT_LEAST));
  roomFor(instance, engine, size).set(bytes.subarray(0, size));
  return size;
}

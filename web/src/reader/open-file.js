/**
 * An opened file: its source, the instance that serves it, and everything created in that instance, which is freed when
 * the file is closed.
 */
import { CpbError } from '../errors.js';
import { parts } from '../parts.js';
import { drive, engineOf } from '../wasm/engine.js';
import { acquire, release } from '../wasm/instance.js';

/** @import { Limits, Source } from '../types.js' */
/** @import { Prepared } from '../source/index.js' */
/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
/** @import { FeedOptions, Piece } from '../wasm/feed.js' */
/** @import { Instance, Scope } from '../wasm/instance.js' */

/**
 * When the hash of data is checked: before any of it is returned, at its end at the latest, or not at all (headers
 * always are).
 * @typedef {'first' | 'late' | 'never'} Verify
 */

/**
 * @typedef {object} OpenFile
 * @property {Instance} instance
 * @property {Prepared} source
 * @property {number | undefined} size of the source, once it is known
 * @property {Piece[]} held bytes that were fetched with the size
 * @property {Limits | undefined} limits
 * @property {(name: string, make: (scope: Scope) => number, onFree?: () => void) => Engine} make an engine by the
 *   result of `make`; freed when the file is closed or by its `free`
 * @property {(engine: Engine, options?: DriveOptions & FeedOptions) => Promise<number>} drive
 * @property {(scope: Scope) => number} limitsIn a cpb_limits, or 0
 * @property {(free: () => void) => void} keep registers a function to call when the file is closed
 * @property {() => void} check throws CLOSED
 * @property {() => void} close
 */

/** A file that is garbage-collected is closed. */
const forgotten = new FinalizationRegistry((/** @type {() => void} */ close) => close());

/**
 * The resources to free. It must not refer to the OpenFile, which could then never be garbage-collected.
 *
 * @param {Instance} instance
 * @param {Source} source
 * @param {() => void} end releases the instance
 */
export function openCore(instance, source, end) {
  /** @type {Set<{ free: () => void }>} */
  const engines = new Set();
  let closed = false;

  const check = () => {
    if (closed) throw new CpbError('CLOSED', 'the file was closed');
  };

  /** @param {string} name @param {number} pointer @param {() => void} [onFree] */
  function add(name, pointer, onFree) {
    const engine = engineOf(instance, name, pointer, () => {
      engines.delete(engine);
      onFree?.();
    });
    engines.add(engine);
    return engine;
  }

  /** @param {() => void} free */
  function keep(free) {
    check();
    engines.add({ free });
  }

  function close() {
    if (closed) return;
    closed = true;
    // In reverse: an engine may use earlier ones.
    for (const engine of [...engines].reverse()) {
      try {
        engine.free();
      } catch {
        // The instance has trapped, and can no longer free anything.
      }
    }
    end();
    Promise.resolve(source.close?.()).catch(() => {});
  }

  return { add, keep, check, close };
}

/**
 * @param {WebAssembly.Module} module
 * @param {Prepared} source is closed with the file
 * @param {Limits} [limits]
 * @returns {Promise<OpenFile>}
 */
export async function openFile(module, source, limits) {
  const instance = await acquire(module, limits?.memory);
  return fileOf(
    openCore(instance, source, () => release(module, instance)),
    instance,
    source,
    limits,
    limits && (await parts.reading()).limitsOf(limits),
  );
}

/**
 * @param {ReturnType<typeof openCore>} core @param {Instance} instance @param {Prepared} source
 * @param {Limits} [limits] @param {OpenFile['limitsIn']} [limitsIn]
 */
export function fileOf(core, instance, source, limits, limitsIn = () => 0) {
  /** @type {OpenFile} */
  const file = {
    instance,
    source,
    size: undefined,
    held: [],
    limits,
    make(name, make, onFree) {
      core.check();
      return core.add(name, instance.scope(make), onFree);
    },
    drive: (engine, options) => drive(instance, engine, source, { size: file.size, held: file.held, ...options }),
    limitsIn,
    keep: core.keep,
    check: core.check,
    close() {
      forgotten.unregister(file);
      core.close();
    },
  };
  forgotten.register(file, core.close, file);
  return file;
}

/**
 * Adds `close` as the function that `using` and `await using` call, in runtimes that support these.
 *
 * @template {{ close: () => void }} T @param {T} object @returns {T & Disposable & AsyncDisposable}
 */
export function disposable(object) {
  const it = /** @type {any} */ (object);
  if (Symbol.dispose) it[Symbol.dispose] = object.close;
  if (Symbol.asyncDispose) it[Symbol.asyncDispose] = async () => object.close();
  return it;
}

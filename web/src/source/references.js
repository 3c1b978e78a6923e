/**
 * The other files that a .cpb file or an ONNX model refers to. Their names may be malicious: only files in the
 * referring file's own folder are opened, unless the caller allows more.
 */
import { asCpbError, CpbError } from '../errors.js';
import { slots } from '../middleware/shared.js';
import { createFeed } from '../wasm/feed.js';
import { otherFile } from '../reader/other-file.js';
import { at } from '../wasm/instance.js';
import { abortable } from '../waiting.js';

/** @import { Cost, ReadOptions, Source } from '../types.js' */
/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
/** @import { FeedOptions } from '../wasm/feed.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { Input, Prepared, SourceOptions } from './index.js' */

/**
 * Which other files a .cpb file or an ONNX model may open. 'folder', the default: those in its own folder, or below the
 * URL of its folder. 'none': no files. A function: its result, which may be anything that can be opened; undefined if
 * the file does not exist. It gets the size that the file must have, if a .cpb gives it.
 * @typedef {'folder' | 'none' | ((name: string, about: { size?: number }) =>
 *   Input | undefined | Promise<Input | undefined>)} References
 */

/** As natively: each may have a descriptor and buffers, and a file may name any number of others. */
const MOST = 8;

/** Bytes remembered of each file for one engine. */
const REMEMBERED = 4 * 2 ** 20;

/** The default size of a file's cache; all other files together have another one of this size. */
const CACHED = 32 * 2 ** 20;

/**
 * Another file. It is open while it is read, and afterwards until others need its place.
 * @typedef {object} Other
 * @property {number} users number of its readers, and of those waiting for a place
 * @property {Promise<Prepared> | undefined} opened
 * @property {Promise<void> | undefined} entered once it has a place
 * @property {(() => void) | undefined} leave gives back its place
 */

/** Parts that no name of a file in the folder may have. */
const NO_NAME = /^$|^\/|\0|\\|:\/\//;

/**
 * A name without empty parts, '.' and '..', judged by its text alone: 'a/../b' becomes 'b' even if 'a' is a link.
 * Undefined if it leaves its folder on the way, is not a relative name, or names a folder (src/base/file_name.h has the
 * same rule).
 *
 * @param {string} name
 */
export function normalized(name) {
  /** @type {string[]} */
  const parts = [];
  let isFile = false;
  if (NO_NAME.test(name)) return undefined;
  for (const part of name.split('/')) {
    isFile = part !== '' && part !== '.' && part !== '..';
    if (isFile) parts.push(part);
    if (part === '..' && parts.pop() === undefined) return undefined;
  }
  return isFile ? parts.join('/') : undefined;
}

/** @param {string} why @returns {never} */
function refuse(why) {
  throw new CpbError('READ', `${why}; the option references says what may be opened`);
}

/**
 * Resolves a name.
 *
 * @param {Source} source the source that refers to it
 * @param {References} references
 * @param {string} name
 * @param {{ size?: number }} about
 * @returns {Promise<Input>}
 */
export async function resolveReference(source, references, name, about) {
  if (typeof references === 'function') {
    const input = await references(name, about);
    return input ?? refuse('references() gave nothing for it');
  }
  if (references === 'none') return refuse('no other file is opened');
  const within = normalized(name);
  if (within === undefined) return refuse('it is not in the folder of the file that names it');
  const found = await source.beside?.(within);
  return found ?? refuse(`${source.name ?? 'the file'}, which names it, is in no folder that can be read`);
}

/** Adds the name of the other file to its error. @param {unknown} error @param {string} name */
function named(error, name) {
  const told = asCpbError(error, 'the source');
  const { code, message, cause = told, ...details } = told;
  return new CpbError(code, `file ${JSON.stringify(name)}: ${message}`, { ...details, cause });
}

class Others {
  #resolve;
  #prepare;
  /** @type {Map<string, Other>} the open ones, the last used one at the end */
  #files = new Map();
  #place = slots(MOST);
  /** @type {Set<Promise<void>>} */
  #closing = new Set();
  /** @type {Set<Cost>} of files with separate counts */
  #costs = new Set();

  /**
   * @param {(name: string, about: { size?: number }) => Promise<Input>} resolve
   * @param {(input: Input) => Prepared} prepare
   */
  constructor(resolve, prepare) {
    this.#resolve = resolve;
    this.#prepare = prepare;
  }

  /** The total transfer. @param {Cost} main */
  cost(main) {
    const all = { ...main };
    for (const cost of this.#costs) {
      if (cost === main) continue;
      all.requests += cost.requests;
      all.bytes += cost.bytes;
    }
    return all;
  }

  /**
   * Makes the feed of an engine for a file that it has not read, or not for a while.
   *
   * @param {Instance} instance
   * @param {Engine} engine
   * @param {number} file its number
   * @param {DriveOptions & FeedOptions} options
   */
  async feed(instance, engine, file, { signal, ahead }) {
    signal?.throwIfAborted();
    const other = at(instance.c, 'cpb_input_other');
    const { name, size } = otherFile(instance, (out) => other(engine.call('input'), out));
    const { others, around } = engine;
    const source = this.#source(name, size);
    const feed = createFeed(source, { ahead, most: REMEMBERED, around: around?.(file) });
    others.set(file, feed);
    for (const [oldest, old] of others) {
      if (others.size <= MOST) break;
      others.delete(oldest);
      old.stop();
    }
    return feed;
  }

  /**
   * A file by its name, which is opened on the first read.
   *
   * @param {string} name
   * @param {number} size that it must have
   * @returns {Source}
   */
  #source(name, size) {
    /** @type {<T>(act: (source: Prepared) => Promise<T>, options?: ReadOptions) => Promise<T>} */
    const use = (act, options) => this.#use(name, size, act, options);
    return {
      name,
      read: (offset, length, options) => use((source) => source.read(offset, length, options), options),
      stat: (options) => use((source) => source.stat(options), options),
    };
  }

  /**
   * @template T @param {string} name @param {number} size @param {(source: Prepared) => Promise<T>} act
   * @param {ReadOptions} [options]
   */
  async #use(name, size, act, { signal } = {}) {
    signal?.throwIfAborted();
    const file = this.#files.get(name) ?? { users: 0, opened: undefined, entered: undefined, leave: undefined };
    this.#files.delete(name);
    this.#files.set(name, file);
    file.users++;
    try {
      await abortable((file.entered ??= this.#enter(file)), signal);
      const opened = (file.opened ??= this.#open(name, size));
      opened.catch(() => file.opened === opened && (file.opened = undefined)); // the next read tries again
      return await act(await abortable(opened, signal));
    } catch (error) {
      throw signal?.aborted ? error : named(error, name);
    } finally {
      if (--file.users === 0) this.#leave(name, file);
    }
  }

  /** Limits the number of files read at once: others wait. @param {Other} file @returns {Promise<void>} */
  #enter(file) {
    /** @type {Promise<void>} */
    const entered = new Promise((resolve) => {
      void this.#place(async () => {
        resolve();
        // It is no longer waited for, or has been entered again.
        if (file.users === 0 || file.entered !== entered) return;
        await new Promise((left) => (file.leave = () => left(undefined)));
      });
    });
    return entered;
  }

  /** @param {string} name @param {Other} file */
  #leave(name, file) {
    file.leave?.();
    file.entered = file.leave = undefined;
    if (!file.opened && this.#files.get(name) === file) this.#files.delete(name);
  }

  /** Closes the least recently used files, until there is room for one more. */
  async #makeRoom() {
    let open = [...this.#files.values()].filter(({ opened }) => opened).length;
    for (const [name, file] of this.#files) {
      if (open < MOST) break;
      if (file.leave || !file.opened) continue;
      const closing = close(file);
      file.opened = undefined;
      if (file.users === 0) this.#files.delete(name);
      this.#closing.add(closing);
      void closing.then(() => this.#closing.delete(closing));
      open--;
    }
    await Promise.all(this.#closing);
  }

  /** @param {string} name @param {number} size */
  async #open(name, size) {
    await this.#makeRoom();
    const source = this.#prepare(await this.#resolve(name, { size: size < Infinity ? size : undefined }));
    this.#costs.add(source.transferred);
    return source;
  }

  close() {
    for (const file of this.#files.values()) void close(file);
    this.#files.clear();
  }
}

/** @param {Other} file */
async function close({ opened }) {
  await opened?.then((source) => source.close()).catch(() => {});
}

/** @typedef {Others} OtherFiles */

/**
 * @param {Prepared} whole refers to the files; they are closed with it, and counted in its transfer
 * @param {Source} source the source that it wraps
 * @param {SourceOptions} options
 * @param {(input: Input, options: SourceOptions) => Prepared} prepare
 */
export function othersOf(whole, source, options, prepare) {
  const { references = 'folder', cache } = options;
  const smaller = cache !== false && { ...cache, bytes: (cache?.bytes ?? CACHED) / MOST };
  const how = { ...options, cache: smaller, references: /** @type {const} */ ('none') };
  const others = new Others(
    (name, about) => resolveReference(source, references, name, about),
    (input) => prepare(input, how),
  );
  const { transferred, close } = whole;
  Object.defineProperties(whole, {
    transferred: { get: () => others.cost(transferred) },
    close: {
      value() {
        others.close();
        return close();
      },
    },
  });
  return others;
}

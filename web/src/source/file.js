/// <reference types="node" />
import { asCpbError, CpbError } from '../errors.js';
import { fs, path as paths, url } from './node.js';
import { otherSource } from './other.js';

/** @import { Source } from '../types.js' */
/** @import { LocalSource } from './index.js' */

const { closeSync, constants, fstatSync, openSync, read: readLater, readSync } = fs;
const { basename, dirname, join, sep } = paths;

/**
 * An open file. It uses a descriptor instead of a FileHandle, which needs promises, and which runtimes close with a
 * warning or an error once it is no longer referenced.
 * @typedef {{ of: { fd: number }, size: number, etag: string, own: boolean, reading: number, over: boolean }} Opened of:
 *   has the descriptor, until it is closed; reading: number of reads in progress; over: close it after them
 */

/** @param {import('node:fs').BigIntStats} stats */
const identity = ({ size, mtimeNs }) => ({ size: Number(size), etag: `"${size}-${mtimeNs}"` });

/** @param {{ fd: number }} of @param {string} name @param {boolean} own @returns {Opened} */
function regular(of, name, own) {
  const stats = fstatSync(of.fd, { bigint: true });
  if (!stats.isFile()) throw new CpbError('READ', `${name} is not a regular file`);
  return { of, ...identity(stats), own, reading: 0, over: false };
}

/** Pipes are opened without waiting, if such a flag exists. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** A file that can no longer be closed explicitly. */
const forgotten = new FinalizationRegistry((/** @type {number} */ fd) => closeSync(fd));

/** @param {string | Buffer} name @param {number} [how] */
function openFile(name, how = AT_ONCE) {
  const fd = openSync(name, how);
  try {
    const file = regular({ fd }, String(name), true);
    forgotten.register(file, fd, file);
    return file;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A descriptor may belong to another file as soon as it is closed. @param {Opened} file */
function closeFile(file) {
  file.over = true;
  if (file.reading > 0 || !forgotten.unregister(file)) return;
  closeSync(file.of.fd);
}

/** A link that has replaced the checked file is not followed either. */
const AS_SEEN = AT_ONCE | (constants.O_NOFOLLOW ?? 0);

/**
 * The real place of an opened file: according to the system, or else the target of its path, if that is still this
 * file.
 *
 * @param {Opened} file @param {string} path
 */
async function placeOf(file, path) {
  const told = await fs.promises.readlink(`/proc/self/fd/${file.of.fd}`).catch(() => undefined);
  if (told) return told;
  const found = await fs.promises.realpath(path);
  demandSame(file, await fs.promises.lstat(found, { bigint: true }), 'it was exchanged while it was opened');
  return found;
}

/** @param {Opened} file @param {import('node:fs').BigIntStats} seen @param {string} message */
function demandSame({ of }, seen, message) {
  const opened = fstatSync(of.fd, { bigint: true });
  if (seen.dev !== opened.dev || seen.ino !== opened.ino) throw new CpbError('READ', message);
}

/** @param {string} path @param {string[]} folders */
function demandWithin(path, folders) {
  if (folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))) return;
  throw new CpbError('READ', 'it is not in the folder of the file that names it: a link leads out of it');
}

/**
 * Opens a file that after all links is, also when it is open, below the folder of the file that refers to it: the
 * folder of that file's path, or its real folder.
 *
 * @param {string} name of that file
 * @param {Promise<Opened>} main that file
 * @param {string} path
 */
async function openBeside(name, main, path) {
  const whole = await main;
  const root = await fs.promises.realpath(dirname(name));
  const there = await fs.promises.stat(join(root, basename(name)), { bigint: true });
  demandSame(whole, there, 'the file that names it is no longer the one that was opened');
  const folders = [root, dirname(await placeOf(whole, name))];
  const found = await fs.promises.realpath(path);
  demandWithin(found, folders);
  const file = openFile(found, AS_SEEN);
  try {
    demandWithin(await placeOf(file, found), folders);
    return file;
  } catch (error) {
    closeFile(file);
    throw error;
  }
}

/**
 * Largest size read synchronously: a few such reads take less time than waiting for one. The same applies to a file
 * that others may close.
 */
const SMALL = 128 * 1024;

/** @param {Opened} file @param {string} name @param {number} offset @param {number} length */
async function readAt(file, name, offset, length) {
  const bytes = new Uint8Array(Math.max(0, Math.min(length, file.size - offset)));
  if (bytes.length <= SMALL || !file.own) {
    readInto(file, name, offset, bytes);
    return bytes;
  }
  let at = 0;
  file.reading++;
  try {
    for (let count = -1; at < bytes.length && count !== 0; at += count) count = await readSome(file, bytes, at, offset);
    demandUnchanged(file, name, offset, at === bytes.length);
  } finally {
    file.reading--;
    if (file.over) closeFile(file);
  }
  return bytes;
}

/**
 * @param {Opened} file
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} offset of the first
 * @returns {Promise<number>}
 */
const readSome = ({ of }, bytes, at, offset) =>
  new Promise((resolve, reject) => {
    const told = (/** @type {Error | null} */ error, /** @type {number} */ count) =>
      error ? reject(error) : resolve(count);
    readLater(of.fd, bytes, at, bytes.length - at, offset + at, told);
  });

/**
 * @param {Opened} file
 * @param {string} name
 * @param {number} offset
 * @param {boolean} whole whether all requested bytes arrived
 */
function demandUnchanged({ of, etag }, name, offset, whole) {
  if (whole && identity(fstatSync(of.fd, { bigint: true })).etag === etag) return;
  throw new CpbError('CHANGED', `${name} changed while it was read`, { offset });
}

/**
 * The same without waiting, into an array.
 *
 * @param {Opened} file @param {string} name @param {number} offset @param {Uint8Array} bytes
 */
function readInto(file, name, offset, bytes) {
  const length = Math.max(0, Math.min(bytes.length, file.size - offset));
  let at = 0;
  for (let count = -1; at < length && count !== 0; at += count)
    count = readSync(file.of.fd, bytes, at, length - at, offset + at);
  demandUnchanged(file, name, offset, at === length);
  return length;
}

/**
 * A file that is opened at the first read, and closed with the source.
 *
 * @param {string} name @param {() => Promise<Opened>} begin @param {(file: Opened) => void} [end]
 * @returns {LocalSource}
 */
function sourceFrom(name, begin, end = closeFile) {
  /** @type {Promise<Opened> | undefined} */
  let opened;
  /** @type {Opened | undefined} once it is open */
  let there;

  /** @param {unknown} error @returns {never} */
  function fail(error) {
    throw asCpbError(error, name);
  }

  function start() {
    const opening = begin().then(
      (file) => {
        if (opened === opening) there = file;
        return file;
      },
      (error) => {
        if (opened === opening) opened = undefined;
        return fail(error);
      },
    );
    return opening;
  }

  const file = () => (opened ??= start());

  async function close() {
    const closing = opened;
    opened = there = undefined;
    await closing?.then(end, () => {});
  }

  return {
    name,
    read: async (offset, length) => readAt(await file(), name, offset, length).catch(fail),
    readInto(offset, bytes) {
      try {
        return there && readInto(there, name, offset, bytes);
      } catch (error) {
        return fail(error);
      }
    },
    async stat() {
      const { size, etag } = await file();
      return { size, etag };
    },
    reset: () => void close().catch(() => {}),
    close,
  };
}

/**
 * A file of Node, Deno or Bun, opened at the first read. Its size and time of change
 * are compared after each read.
 *
 * @param {string | URL} path or a file: URL
 * @returns {Source}
 */
export function fileSource(path) {
  return namedSource(String(path).startsWith('file:') ? url.fileURLToPath(path) : String(path));
}

/**
 * @param {string} name that of a file, also where it looks like a URL
 * @returns {Source}
 */
function namedSource(name) {
  /** @type {Promise<Opened> | undefined} */
  let main;
  const source = sourceFrom(name, () => (main = (async () => openFile(name))()));
  async function openNamed(/** @type {string} */ path) {
    await source.stat();
    return openBeside(name, /** @type {NonNullable<typeof main>} */ (main), path);
  }
  return {
    ...source,
    beside(other) {
      const path = join(dirname(name), other);
      return sourceFrom(path, () => openNamed(path));
    },
  };
}

/** A file that the caller has opened, and closes. @param {import('node:fs/promises').FileHandle} handle */
const handleSource = (handle) =>
  sourceFrom(
    'the FileHandle',
    async () => regular(handle, 'the FileHandle', false),
    () => {},
  );

/**
 * A stream of a file that is still unread: the file is read by ranges instead. Undefined if that is impossible.
 *
 * @param {import('node:fs').ReadStream} stream
 */
function readStreamSource(stream) {
  const { path, start = 0, end = Infinity } = /** @type {any} */ (stream);
  const { bytesRead, readableFlowing, readableEncoding, destroyed } = stream;
  const untouched = bytesRead === 0 && readableFlowing === null && !readableEncoding && !destroyed;
  if (!path || !untouched || !fs.statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  // The source reports errors of a stream that is ended early, or of a file that could not be opened.
  stream.on('error', () => {});
  stream.destroy();
  // A name that is not valid text is a Buffer.
  const source = typeof path === 'string' ? namedSource(path) : sourceFrom(String(path), async () => openFile(path));
  return start > 0 || end < Infinity ? partOf(source, start, end + 1) : source;
}

/**
 * Bytes [begin, end) of a source.
 *
 * @param {LocalSource} source @param {number} begin @param {number} end @returns {LocalSource}
 */
const partOf = (source, begin, end) => ({
  ...source,
  readInto: undefined,
  read: (offset, length, options) =>
    source.read(begin + offset, Math.max(0, Math.min(length, end - begin - offset)), options),
  async stat(options) {
    const { size, etag } = await source.stat(options);
    return { size: Math.max(0, Math.min(size, end) - begin), etag };
  },
});

/** Opens inputs other than paths: handles, streams. @param {any} input @param {number} [memory] of a stream */
export function fileInput(input, memory) {
  if (typeof input?.fd === 'number' && typeof input.stat === 'function') return handleSource(input);
  const isStream = 'readableFlowing' in Object(input) && input instanceof fs.ReadStream;
  return (isStream && readStreamSource(input)) || otherSource(input, memory);
}

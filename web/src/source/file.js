/// <reference types="node" />
import { constants, fstatSync, ReadStream, readSync, statSync } from 'node:fs';
import { lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asCpbError, CpbError } from '../errors.js';
import { otherSource } from './other.js';

/** @import { FileHandle } from 'node:fs/promises' */

/** @param {import('node:fs').BigIntStats} stats */
const identity = ({ size, mtimeNs }) => ({ size: Number(size), etag: `"${size}-${mtimeNs}"` });

/** @param {FileHandle} handle @param {string} name */
async function regular(handle, name) {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) throw new CpbError('READ', `${name} is not a regular file`);
  return { handle, ...identity(stats) };
}

/** No pipe is waited for, where there is such a flag. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** @param {string | Buffer} name @param {number} [how] */
async function openFile(name, how = AT_ONCE) {
  const handle = await open(name, how);
  try {
    return await regular(handle, String(name));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Nor is a link in the place of what was looked at followed. */
const AS_SEEN = AT_ONCE | (constants.O_NOFOLLOW ?? 0);

/**
 * Where an opened file really is: what the system says of it, or else where its path leads, if that is still this file.
 *
 * @param {FileHandle} handle
 * @param {string} path
 */
async function placeOf(handle, path) {
  const told = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
  if (told) return told;
  const found = await realpath(path);
  await demandSame(handle, await lstat(found, { bigint: true }), 'it was exchanged while it was opened');
  return found;
}

/** @param {FileHandle} handle @param {import('node:fs').BigIntStats} seen @param {string} message */
async function demandSame(handle, seen, message) {
  const opened = await handle.stat({ bigint: true });
  if (seen.dev !== opened.dev || seen.ino !== opened.ino) throw new CpbError('READ', message);
}

/** @param {string} path @param {string[]} folders */
function demandWithin(path, folders) {
  if (folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep))) return;
  throw new CpbError('READ', 'it is not in the folder of the file that names it: a link leads out of it');
}

/**
 * Opens a file that after all links lies, and when it is open still does, below the folder of the file that names it: that
 * of its path, or that which it really is in.
 *
 * @param {string} name of that file
 * @param {ReturnType<typeof openFile>} main it
 * @param {string} path
 */
async function openBeside(name, main, path) {
  const { handle } = await main;
  const root = await realpath(dirname(name));
  const there = await stat(join(root, basename(name)), { bigint: true });
  await demandSame(handle, there, 'the file that names it is no longer the one that was opened');
  const folders = [root, dirname(await placeOf(handle, name))];
  const found = await realpath(path);
  demandWithin(found, folders);
  const file = await openFile(found, AS_SEEN);
  try {
    demandWithin(await placeOf(file.handle, found), folders);
    return file;
  } catch (error) {
    await file.handle.close();
    throw error;
  }
}

/**
 * @param {Awaited<ReturnType<typeof openFile>>} file
 * @param {string} name
 * @param {number} offset
 * @param {number} length
 */
async function readAt({ handle, size, etag }, name, offset, length) {
  const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
  let at = 0;
  for (let count = -1; at < bytes.length && count !== 0; at += count) {
    count = (await handle.read(bytes, at, bytes.length - at, offset + at)).bytesRead;
  }
  if (identity(await handle.stat({ bigint: true })).etag !== etag || at < bytes.length) throw changed(name, offset);
  return bytes;
}

/** @param {string} name @param {number} offset */
const changed = (name, offset) => new CpbError('CHANGED', `${name} changed while it was read`, { offset });

/**
 * The same without waiting, into an array.
 *
 * @param {Awaited<ReturnType<typeof openFile>>} file
 * @param {string} name
 * @param {number} offset
 * @param {Uint8Array} bytes
 */
function readInto({ handle, size, etag }, name, offset, bytes) {
  const length = Math.max(0, Math.min(bytes.length, size - offset));
  let at = 0;
  for (let count = -1; at < length && count !== 0; at += count) {
    count = readSync(handle.fd, bytes, at, length - at, offset + at);
  }
  if (identity(fstatSync(handle.fd, { bigint: true })).etag !== etag || at < length) throw changed(name, offset);
  return length;
}

/**
 * @param {string} name
 * @param {() => ReturnType<typeof openFile>} begin
 * @param {(file: Awaited<ReturnType<typeof openFile>>) => Promise<void>} end
 * @returns {import('./index.js').LocalSource}
 */
function sourceFrom(name, begin, end) {
  /** @type {ReturnType<typeof openFile> | undefined} */
  let opened;
  /** @type {Awaited<typeof opened>} once it is open */
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
 * @returns {import('../types.js').Source}
 */
export function fileSource(path) {
  return namedSource(String(path).startsWith('file:') ? fileURLToPath(path) : String(path));
}

/** @param {string} name that of a file, also where it looks like a URL @returns {import('../types.js').Source} */
function namedSource(name) {
  /** @type {ReturnType<typeof openFile> | undefined} */
  let main;
  const source = closing(name, () => (main = openFile(name)));
  async function openNamed(/** @type {string} */ path) {
    await source.stat();
    return openBeside(name, /** @type {NonNullable<typeof main>} */ (main), path);
  }
  return {
    ...source,
    beside(other) {
      const path = join(dirname(name), other);
      return closing(path, () => openNamed(path));
    },
  };
}

/**
 * A file that is opened at the first read, and closed with the source.
 *
 * @param {string} name
 * @param {() => ReturnType<typeof openFile>} begin
 */
const closing = (name, begin) => sourceFrom(name, begin, ({ handle }) => handle.close());

/** A file that the caller opened, and closes. @param {FileHandle} handle */
const handleSource = (handle) =>
  sourceFrom(
    'the FileHandle',
    () => regular(handle, 'the FileHandle'),
    async () => {},
  );

/**
 * A stream of a file of which nothing was read yet: the file is read by ranges instead. Undefined
 * where that cannot be.
 *
 * @param {ReadStream} stream
 */
function readStreamSource(stream) {
  const {
    path,
    start = 0,
    end = Infinity,
    bytesRead,
    readableFlowing,
    readableEncoding,
    destroyed,
  } = /** @type {any} */ (stream);
  const untouched = bytesRead === 0 && readableFlowing === null && !readableEncoding && !destroyed;
  if (!path || !untouched || !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  // What it says when it is ended early, or of a file that it could not open, is said by the source.
  stream.on('error', () => {});
  stream.destroy();
  // A name that is no text is a Buffer.
  const source = typeof path === 'string' ? namedSource(path) : closing(String(path), () => openFile(path));
  return start > 0 || end < Infinity ? partOf(source, start, end + 1) : source;
}

/**
 * Bytes [begin, end) of a source.
 *
 * @param {import('./index.js').LocalSource} source
 * @param {number} begin
 * @param {number} end
 * @returns {import('./index.js').LocalSource}
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

/** What is opened beside paths: handles, streams. @param {any} input @param {number} [memory] of a stream */
export function fileInput(input, memory) {
  if (typeof input?.fd === 'number' && typeof input.stat === 'function') return handleSource(input);
  return (input instanceof ReadStream && readStreamSource(input)) || otherSource(input, memory);
}

/** Inputs that are not sources: handles of files, and streams, which are held in memory. */
import { asBytes } from '../bytes.js';
import { collector, isBytes, room } from '../collector.js';
import { asCpbError, CpbError } from '../errors.js';
import { blobSource, bytesSource } from './memory.js';
import { lazySource } from './lazy-source.js';

/** @import { Source } from '../types.js' */

/**
 * The answer to a request: a Response, an R2ObjectBody, the result of a GetObject of S3.
 * @typedef {object} WithBody
 * @property {any} [body] a stream, or null
 * @property {any} [Body] the same for S3
 */

/**
 * A stream, which is first read to its end and held in memory, up to the option `memory`: a ReadableStream; a Readable
 * of Node, or anything else with asynchronous iteration; a Response; the result of a bucket's or an S3 client's `get`.
 * @typedef {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | WithBody |
 *   { readable: ReadableStream<Uint8Array> }} Streamed
 */

/**
 * The methods that are used of a FileSystemFileHandle.
 * @typedef {object} FileInBrowser
 * @property {() => Promise<Blob>} getFile the file in its present state
 */

/**
 * Identifies a FileSystemSyncAccessHandle.
 * @typedef {object} SyncFile
 * @property {() => number} getSize in bytes
 */

/**
 * Identifies a FileHandle of Node.
 * @typedef {object} NodeFile
 * @property {number} fd its descriptor
 * @property {Function} sync sources lack this method
 */

/**
 * An opened file, which is read by ranges. It stays open; the caller closes it.
 * @typedef {FileInBrowser | SyncFile | NodeFile} Handle
 */

/** The most bytes held in memory of a stream as an input, and of a chunk on its way to one. */
export const MEMORY = 256 * 2 ** 20;

/**
 * @param {any} input
 * @param {number} [memory] largest size of a stream
 * @returns {Source}
 */
export function otherSource(input, memory = MEMORY) {
  if (isBytes(input)) return bytesSource(input);
  if (typeof Blob !== 'undefined' && input instanceof Blob) return blobSource(input);
  if (typeof input === 'string' || input instanceof URL) return localUrlSource(String(input));
  if (typeof input?.getFile === 'function') return handleSource(input);
  if (typeof input?.getSize === 'function') return syncHandleSource(input);
  const { name, body, size } = streamIn(Object(input));
  const steps = stepsOf(body);
  if (steps) return spooled(name, steps, memory, size);
  throw new CpbError(
    'USAGE',
    'the input is not a URL, Blob, bytes, stream, Response, file handle or source ({ read, stat })',
  );
}

/** A blob: or data: URL, which is fetched as a whole, without a server. @param {string} url */
const localUrlSource = (url) =>
  lazySource({ name: 'the URL' }, async () => blobSource(await (await fetch(url)).blob()));

/**
 * The stream in an answer to a request, or the input itself if it is a stream; and its length if known.
 *
 * @param {any} input @returns {{ name: string, body: any, size?: number }}
 */
function streamIn(input) {
  if (typeof Request !== 'undefined' && input instanceof Request && !input.body)
    throw new CpbError('USAGE', 'the input is a Request without a body: pass its URL, or the Response to it');
  if ('Body' in input) {
    if (input.ContentRange) throw part('the object');
    return { name: 'the object', body: input.Body, size: input.ContentLength };
  }
  if (!('body' in input)) return { name: 'the stream', body: input.readable?.getReader ? input.readable : input };
  const { body, url, key, status, headers, bodyUsed } = input;
  const name = url ? String(url).replace(/[?#].*/, '') : (key ?? 'the Response');
  if (status !== undefined && input.ok === false)
    throw new CpbError('HTTP', `${name}: ${status}`, { status, retryable: status === 429 || status > 500 });
  if (status === 206) throw part(name);
  if (bodyUsed) throw used(name);
  const length = headers?.get?.('content-length');
  const plain = length && !headers.get('content-encoding');
  return { name, body: body ?? new Blob([]).stream(), size: plain ? Number(length) : input.size };
}

/** @param {string} name */
const part = (name) =>
  new CpbError('USAGE', `${name} holds only a part of what was asked for: request all of it, or pass its URL`);

/** @param {string} name */
const used = (name) => new CpbError('USAGE', `${name} was read already, or is being read`);

/**
 * Steps through a stream; `end` may be called during a step, and does not wait for it.
 * @typedef {{ next: () => Promise<IteratorResult<any> | ReadableStreamReadResult<any>>, end: (reason?: unknown) => any }} Steps
 */

/** @param {any} body @returns {Steps | undefined} */
function stepsOf(body) {
  if (body?.locked) throw used('the stream');
  if (typeof body?.getReader === 'function') {
    const reader = body.getReader();
    return { next: () => reader.read(), end: (reason) => reader.cancel(reason) };
  }
  if (typeof body?.[Symbol.asyncIterator] !== 'function') return undefined;
  const items = body[Symbol.asyncIterator]();
  return { next: () => items.next(), end: () => (body.destroy ? body.destroy() : items.return?.()) };
}

/**
 * A stream, held in memory once it is read.
 *
 * @param {string} name
 * @param {Steps} steps
 * @param {number} most
 * @param {number} [size] if known
 * @returns {Source}
 */
function spooled(name, steps, most, size) {
  /** @type {Promise<Source> | undefined} */
  let held;
  let ended = false;

  /** @param {number} length */
  const tooLong = (length) =>
    new CpbError(
      'LIMIT',
      `${name} has ${length}: the stream is longer than ${most} bytes: give a Blob, a URL, a file or a source, ` +
        'which are not held in memory, or raise the option memory',
    );

  async function gather() {
    if (size !== undefined && size > most) throw tooLong(size);
    const all = collector(size);
    let length = 0;
    for (;;) {
      const { done, value } = await steps.next();
      if ((ended = Boolean(done))) break;
      const bytes = asBytes(value);
      if ((length += bytes.length) > most) throw tooLong(length);
      all.add(bytes);
    }
    if (size !== undefined && length !== size)
      throw new CpbError('NETWORK', `${name} ended after ${length} of ${size} bytes`, { offset: length });
    return bytesSource(all.bytes());
  }

  const whole = () =>
    (held ??= gather().catch((error) => {
      const told = asCpbError(error, name);
      end(told);
      throw told;
    }));
  /** @param {unknown} [reason] */
  async function end(reason) {
    if (ended) return;
    ended = true;
    await Promise.resolve(steps.end(reason)).catch(() => {});
  }

  return {
    name: name.includes('/') ? name : undefined,
    read: async (...args) => (await whole()).read(...args),
    stat: async () => (await whole()).stat(),
    close: () => end(),
  };
}

/**
 * A file of the origin private file system, or one that the user chose; after CHANGED it is requested again.
 *
 * @param {{ name?: string, getFile: () => Promise<Blob> }} handle @returns {Source}
 */
function handleSource(handle) {
  const { name = 'the file' } = handle;
  /** @type {Promise<Source> | undefined} */
  let opened;
  const fail = (/** @type {unknown} */ error) => {
    opened = undefined;
    throw asCpbError(error, name);
  };
  const file = () => (opened ??= (async () => blobSource(await handle.getFile()))().catch(fail));
  return {
    name,
    read: async (...args) => (await file()).read(...args),
    stat: async () => (await file()).stat(),
    reset: () => void (opened = undefined),
  };
}

/**
 * Reads to the end of the array or of the file; returns the number of bytes.
 *
 * @param {{ read: (bytes: Uint8Array, o: { at: number }) => number }} handle @param {number} offset
 * @param {Uint8Array} bytes
 */
function readInto(handle, offset, bytes) {
  let at = 0;
  for (let count = -1; at < bytes.length && count !== 0; at += count)
    count = handle.read(bytes.subarray(at), { at: offset + at });
  return at;
}

/**
 * @param {{ getSize: () => number, read: (bytes: Uint8Array, o: { at: number }) => number }} handle
 * @returns {import('./index.js').LocalSource}
 */
const syncHandleSource = (handle) => ({
  async read(offset, length) {
    const bytes = room(Math.max(0, Math.min(length, handle.getSize() - offset)));
    return bytes.subarray(0, readInto(handle, offset, bytes));
  },
  readInto: (offset, bytes) => readInto(handle, offset, bytes),
  stat: async () => ({ size: handle.getSize() }),
});

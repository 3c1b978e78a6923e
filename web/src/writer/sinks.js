/** Destinations of an output. */
import { CpbError } from '../errors.js';

/** @import { Put } from '../reader/merged-body.js' */
/** @import { Piece } from './output.js' */

/**
 * Your own destination of an output.
 * @typedef {object} Sink
 * @property {(offset: number, bytes: Uint8Array<ArrayBuffer>) => unknown} write the bytes belong to the sink; its
 *   result is awaited. Offsets may be smaller than earlier ones
 * @property {() => unknown} [close] all is written
 * @property {(reason: unknown) => unknown} [abort] the output is incomplete and ends; a write may still be in progress
 * @property {boolean} [seekable] false: each write must begin where the last one ended
 */

/**
 * A sink of this package. `put` writes synchronously, any number of times once `open` is done, until the sink is
 * closed.
 * @typedef {Sink & { put?: Put, open?: () => unknown }} OwnSink
 */

/**
 * The methods that are used of a FileSystemFileHandle, which not all runtimes have.
 * @typedef {object} WritableFile
 * @property {() => Promise<WritableStream>} createWritable a stream over its contents
 */

/**
 * A stream of Node: a WriteStream, a response of its HTTP server, process.stdout.
 * @typedef {object} NodeWritable
 * @property {(bytes: Uint8Array, told: (error?: Error | null) => void) => unknown} write writes the next bytes, after
 *   earlier ones
 * @property {(told: () => void) => unknown} end everything is written
 * @property {(event: any, told: (...args: any[]) => void) => unknown} on 'error' and 'close'
 * @property {(error?: Error) => unknown} destroy the output is incomplete and ends
 */

/**
 * The members that are used of a FileHandle of Node.
 * @typedef {object} WritableNodeFile
 * @property {number} fd its descriptor
 * @property {Function} write at a position
 * @property {(size: number) => Promise<void>} truncate to its new size
 */

/**
 * The methods that are used of a FileSystemSyncAccessHandle.
 * @typedef {object} WritableSyncFile
 * @property {() => number} getSize in bytes
 * @property {(bytes: Uint8Array<ArrayBuffer>, where: { at: number }) => number} write returns the number of bytes
 * @property {(size: number) => void} truncate to its new size
 * @property {() => void} flush everything is written
 */

/**
 * A file opened for writing, which stays open. Its contents are replaced.
 * @typedef {WritableNodeFile | WritableSyncFile} OpenedFile
 */

/**
 * The destinations of an output.
 * @typedef {WritableStream | { writable: WritableStream } | WritableFile | OpenedFile | NodeWritable | Sink} Destination
 */

/** @param {Destination} destination @returns {OwnSink | Promise<OwnSink>} */
export function sinkOf(destination) {
  const it = /** @type {any} */ (destination);
  const has = (/** @type {string} */ method) => typeof it?.[method] === 'function';
  if (has('createWritable')) return it.createWritable().then(streamSink);
  if (has('getWriter')) return streamSink(it);
  if (typeof it?.writable?.getWriter === 'function') return streamSink(it.writable);
  if (has('write') && has('end') && has('on')) return nodeSink(it);
  if (has('write') && has('truncate')) return has('getSize') ? syncSink(it) : handleSink(it);
  if (has('write')) return it;
  throw new CpbError(
    'USAGE',
    'the destination is not a WritableStream, Writable of Node, file handle or sink ({ write })',
  );
}

/** @param {WritableStream} stream */
function streamSink(stream) {
  const writer = stream.getWriter();
  // It repeats errors of `write` and `close`.
  writer.closed.catch(() => {});
  const seekable = 'seek' in stream;
  return {
    seekable,
    write: (/** @type {number} */ position, /** @type {Piece['bytes']} */ data) =>
      writer.write(seekable ? { type: 'write', position, data } : data),
    close: () => writer.close(),
    abort: (/** @type {unknown} */ reason) => writer.abort(reason),
  };
}

/** The next write waits until the one before is out of the stream's buffer. @param {any} stream @returns {Sink} */
function nodeSink(stream) {
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  /** @type {{ error: unknown } | undefined} */
  let failed;
  const fail = (/** @type {unknown} */ error) => {
    failed ??= { error };
    reject(error);
  };
  const early = () => fail(new Error('the stream was closed before all was written'));
  // A listener is needed: an error without one would end the process.
  stream.on('error', fail);
  stream.on('close', early);

  /** @param {(told: (error?: unknown) => void) => void} act */
  const told = (act) =>
    new Promise((resolve, refuse) => {
      if (failed) throw failed.error;
      reject = refuse;
      act((error) => (error ? fail(error) : resolve(undefined)));
    });

  return {
    seekable: false,
    write: (_, bytes) => told((done) => stream.write(bytes, done)),
    // stdout and stderr are not closed, because others also write to them.
    close: () => (stream.fd === 1 || stream.fd === 2 ? undefined : told((done) => stream.end(done))),
    abort: (reason) => void stream.destroy(reason instanceof Error ? reason : new Error(String(reason))),
  };
}

/** Opens a file of Node, and writes to an opened one, in runtimes that have files.
 * @type {{ fileSink: (path: string | URL) => OwnSink, putTo: (file: { fd: number }) => Put } | undefined} */
export let files;

/** Called by the entry for runtimes with files. @param {typeof files} given */
export const setUpFiles = (given) => void (files = given);

/**
 * @param {any} handle a FileHandle of Node
 * @returns {OwnSink}
 */
function handleSink(handle) {
  let size = 0;
  const put = files?.putTo(handle);
  return {
    put:
      put &&
      ((offset, bytes) => {
        put(offset, bytes);
        size = Math.max(size, offset + bytes.length);
      }),
    async write(offset, bytes) {
      for (let at = 0; at < bytes.length;)
        at += (await handle.write(bytes, at, bytes.length - at, offset + at)).bytesWritten;
      size = Math.max(size, offset + bytes.length);
    },
    close: () => handle.truncate(size),
  };
}

/**
 * @param {any} handle a FileSystemSyncAccessHandle
 * @returns {OwnSink}
 */
function syncSink(handle) {
  let size = 0;
  /** @type {Put} */
  function put(offset, bytes) {
    for (let at = 0; at < bytes.length;) at += handle.write(bytes.subarray(at), { at: offset + at });
    size = Math.max(size, offset + bytes.length);
  }
  return {
    put,
    write: put,
    close() {
      handle.truncate(size);
      handle.flush();
    },
  };
}

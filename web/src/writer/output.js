/** The results of calls that write: an output, which is generated when it is read. */
import { collector, room } from '../collector.js';
import { asCpbError, CpbError } from '../errors.js';
import * as is from '../options.js';
import { streamOf } from '../source/streams.js';
import { abortable } from '../waiting.js';
import { files, sinkOf } from './sinks.js';

/** @import { Progress } from '../types.js' */
/** @import { Put } from '../reader/merged-body.js' */
/** @import { Destination, OwnSink, Sink } from './sinks.js' */

/** Bytes and the offset that they are written at.
 * @typedef {{ offset: number, bytes: Uint8Array<ArrayBuffer> }} Piece */

/**
 * The result of writing.
 * @typedef {object} Result
 * @property {number} chunks in the .cpb file, without its index
 * @property {number} size bytes that were written
 * @property {boolean} isSplit whether the message needed several chunks
 */

/**
 * The options of every call that writes.
 * @typedef {object} WriteOptions
 * @property {AbortSignal} [signal] ends it with the signal's reason
 * @property {(progress: Progress) => void} [onProgress] for 'message', in its bytes; before that for 'input', if the
 *   input is first read to plan the output. An error that it throws ends the call
 */

/**
 * An output, which can be written once: nothing is read before one of these methods is called, and only one call is
 * allowed. After a failure or an abort, nothing is left behind.
 *
 * @template [R=Result]
 * @typedef {object} Output
 * @property {(options?: WriteOptions) => ReadableStream<Uint8Array<ArrayBuffer>>} stream generated as it is read
 * @property {(options?: WriteOptions) => Promise<Uint8Array<ArrayBuffer>>} bytes all of it, in memory
 * @property {(options?: WriteOptions) => Promise<Blob>} blob all of it
 * @property {(destination: Destination, options?: WriteOptions) => Promise<R>} to a WritableStream, a
 *   FileSystemFileHandle, a FileSystemWritableFileStream, a Writable of Node or your own sink, which is closed at the
 *   end, or aborted; or an opened file (a FileHandle of Node), which stays open. Plain streams are not seekable; all
 *   others need little memory for chunks of any size
 * @property {(path: string | URL, options?: WriteOptions) => Promise<R>} toFile in Node, Deno and Bun: written to a
 *   temporary file next to it, which gets its name (replacing a file) when it is complete
 * @property {R | undefined} result once everything is written
 */

/**
 * How to generate an output. `onProgress` reports for the message, unless another subject is given. Bytes that are
 * passed to `put`, synchronously, are not yielded as pieces.
 * @typedef {{ signal?: AbortSignal, seekable: boolean, put?: Put,
 *   onProgress?: (progress: { done: number, total?: number, of?: string }) => void }} How
 */
/**
 * Generates the pieces, about 256 KiB each, which belong to the receiver. Unless `seekable`, each begins where the last
 * one ended.
 * @template [R=Result]
 * @typedef {(how: How) =>
 *   AsyncGenerator<Piece, R, void>} Make
 */

/** Turns errors of a sink into errors of this package. @param {() => unknown} call */
async function ofSink(call) {
  try {
    await call();
  } catch (error) {
    throw asCpbError(error, 'the destination', 'WRITE');
  }
}

/** Small pieces are joined up to this size before they are written. */
const GATHERED = 256 * 1024;

/**
 * Joins consecutive small pieces.
 *
 * @param {Put} write its errors belong to the destination
 * @returns {{ put: Put, end: () => void }}
 */
function joining(write) {
  /** @type {Uint8Array<ArrayBuffer> | undefined} */
  let held;
  let begin = 0,
    length = 0;

  /** @type {Put} */
  function writeNow(offset, bytes) {
    try {
      write(offset, bytes);
    } catch (error) {
      throw asCpbError(error, 'the destination', 'WRITE');
    }
  }

  function end() {
    if (held && length > 0) writeNow(begin, held.subarray(0, length));
    length = 0;
  }

  return {
    put(offset, bytes) {
      if (offset !== begin + length || length + bytes.length > GATHERED) end();
      if (bytes.length >= GATHERED) return writeNow(offset, bytes);
      if (length === 0) begin = offset;
      held ??= room(GATHERED);
      held.set(bytes, length);
      length += bytes.length;
    },
    end,
  };
}

/** A single run of writing: the pieces, and the result. @template R */
class Writing {
  #make;
  #begun = false;
  /** @type {R | undefined} */
  result;

  /** @param {Make<R>} make */
  constructor(make) {
    this.#make = make;
  }

  /** @param {WriteOptions} options @param {boolean} seekable @param {Put} [put] */
  begin({ signal, onProgress }, seekable, put) {
    if (this.#begun) throw new CpbError('USAGE', 'this output was already written: make another');
    if (onProgress) is.checkOptions({ onProgress }, { onProgress: is.callback });
    this.#begun = true;
    /** @type {How['onProgress']} */
    const tell = onProgress && ((progress) => onProgress({ of: 'message', total: undefined, ...progress }));
    return this.#make({ signal, onProgress: tell, seekable, put });
  }

  /** @param {Sink} sink @param {WriteOptions} options @param {OwnSink} [own] the same sink, if this package made it */
  async writeTo(sink, options, own) {
    const { signal } = options;
    const joined = own?.put && joining(own.put);
    const pieces = this.begin(options, sink.seekable !== false, joined?.put);
    try {
      if (joined) await ofSink(() => own?.open?.());
      for (;;) {
        signal?.throwIfAborted();
        const { done, value } = await pieces.next();
        if (done) {
          joined?.end();
          await ofSink(() => sink.close?.());
          return (this.result = value);
        }
        await abortable(
          ofSink(() => sink.write(value.offset, value.bytes)),
          signal,
        );
      }
    } catch (error) {
      await pieces.return(/** @type {any} */ (undefined)).catch(() => {});
      await Promise.resolve(sink.abort?.(error)).catch(() => {});
      throw error;
    }
  }

  /** @param {ReturnType<Make<R>>} pieces */
  async *bytesOf(pieces) {
    try {
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) return void (this.result = value);
        yield value.bytes;
      }
    } finally {
      await pieces.return(/** @type {any} */ (undefined));
    }
  }
}

/** @template R @param {Make<R>} make @returns {Output<R>} */
export function outputOf(make) {
  const writing = new Writing(make);
  return {
    get result() {
      return writing.result;
    },
    stream({ signal: outer, onProgress } = {}) {
      const begin = (/** @type {AbortSignal} */ signal) =>
        writing.bytesOf(writing.begin({ signal, onProgress }, false));
      return /** @type {ReturnType<Output['stream']>} */ (streamOf(begin, outer, 'own'));
    },
    async bytes(options = {}) {
      const all = collector();
      await writing.writeTo({ seekable: false, write: (_, bytes) => all.add(bytes) }, options);
      return all.bytes();
    },
    async blob(options = {}) {
      /** @type {BlobPart[]} */
      const parts = [];
      await writing.writeTo({ seekable: false, write: (_, bytes) => void parts.push(bytes) }, options);
      return new Blob(parts);
    },
    async to(destination, options = {}) {
      const sink = await Promise.resolve(sinkOf(destination)).catch((error) => {
        throw asCpbError(error, 'the destination', 'WRITE');
      });
      return writing.writeTo(sink, options, sink === destination ? undefined : sink);
    },
    async toFile(path, options = {}) {
      if (!files) throw new CpbError('UNSUPPORTED', 'toFile() is for Node, Deno and Bun: use to()');
      const sink = files.fileSink(path);
      return writing.writeTo(sink, options, sink);
    },
  };
}

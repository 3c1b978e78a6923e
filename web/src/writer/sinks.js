/** Where an output is written. */
import { CpbError } from '../errors.js';

/** @import { Piece } from './output.js' */

/**
 * A place of yours that an output is written to.
 * @typedef {object} Sink
 * @property {(offset: number, bytes: Uint8Array<ArrayBuffer>) => unknown} write the bytes are
 *   the sink's; what it answers is awaited. Offsets may lie before what was written already
 * @property {() => unknown} [close] all is written
 * @property {(reason: unknown) => unknown} [abort] the rest will not come, a write may still
 *   be under way
 * @property {boolean} [seekable] false: each write must begin where the last one ended
 */

/**
 * What is used of a FileSystemFileHandle, which not all runtimes know.
 * @typedef {object} WritableFile
 * @property {() => Promise<WritableStream>} createWritable a stream over its contents
 */

/**
 * Where an output can be written to.
 * @typedef {WritableStream | WritableFile | Sink} Destination
 */

/**
 * @param {Destination} destination
 * @returns {Sink | Promise<Sink>}
 */
export function sinkOf(destination) {
  const it = /** @type {any} */ (destination);
  if (typeof it?.createWritable === 'function') return it.createWritable().then(streamSink);
  if (typeof it?.getWriter === 'function') return streamSink(it);
  if (typeof it?.write === 'function') return it;
  throw new CpbError('USAGE', 'the destination is not a WritableStream, file handle or sink ({ write })');
}

/** @param {WritableStream} stream */
function streamSink(stream) {
  const writer = stream.getWriter();
  // It says again what `write` and `close` say.
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

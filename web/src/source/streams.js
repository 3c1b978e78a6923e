import { collector, room } from '../collector.js';
import { controllerUnder, onAbort } from './abort.js';

/** @typedef {import('../types.js').Source} Source */
/** @typedef {import('../types.js').ReadOptions} ReadOptions */

/** @type {boolean | undefined} */
let byteStreams;

/** For runtimes whose byte streams cut pieces small for readers that bring no buffer. */
export const avoidByteStreams = () => void (byteStreams = false);

/** Whether there are streams that fill a buffer of the reader's. */
function hasByteStreams() {
  try {
    byteStreams ??= Boolean(new ReadableStream({ type: 'bytes' }));
  } catch {
    byteStreams = false;
  }
  return byteStreams;
}

/**
 * A stream of the pieces that `start` yields, one for each pull and none before. An abort
 * ends it at once, even when nobody is reading.
 *
 * @param {(signal: AbortSignal) => AsyncGenerator<Uint8Array>} start
 * @param {AbortSignal} [signal]
 * @param {'own' | 'shared'} [bytes] makes a stream that BYOB readers can read, too, where the
 *   runtime has such: it takes the pieces' buffers, or copies of pieces that others use, too
 * @returns {ReadableStream<Uint8Array>}
 */
export function streamOf(start, signal, bytes) {
  const { controller, release } = controllerUnder(signal);
  const inner = controller.signal;
  const pieces = start(inner);

  /** @param {unknown} reason */
  function end(reason) {
    release();
    controller.abort(reason);
    pieces.return(undefined).catch(() => {});
  }

  /** @type {any} */
  const type = bytes && hasByteStreams() ? 'bytes' : undefined;
  return new ReadableStream(
    {
      type,
      start(/** @type {any} */ sink) {
        onAbort(inner, () => {
          sink.error(inner.reason);
          end(inner.reason);
        });
      },
      async pull(/** @type {any} */ sink) {
        try {
          for (;;) {
            const { done, value } = await pieces.next();
            if (done) break;
            if (value.length > 0) return sink.enqueue(type && bytes !== 'own' ? value.slice() : value);
          }
          sink.close();
          sink.byobRequest?.respond(0);
        } catch (error) {
          release();
          throw error;
        }
        release();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/**
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<Uint8Array>}
 */
export async function* piecesOf(stream) {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error) => {
        ended = true;
        throw error;
      });
      ended = done;
      if (done) return;
      yield value;
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {});
  }
}

/**
 * A stream that is opened when it is first read.
 *
 * @param {(signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>} load
 * @param {AbortSignal} [outer]
 * @param {'own' | 'shared'} [bytes] as for streamOf
 */
export const lazyStream = (load, outer, bytes) =>
  streamOf(
    async function* pieces(signal) {
      yield* piecesOf(await load(signal));
    },
    outer,
    bytes,
  );

/**
 * The bytes of all pieces. `length` is called when the first has arrived, so that
 * nothing is allocated for a size that a server only claims.
 *
 * @param {AsyncIterable<Uint8Array>} pieces
 * @param {() => number} length their most
 * @returns {Promise<Uint8Array>}
 */
export async function collect(pieces, length) {
  /** @type {ReturnType<typeof collector> | undefined} */
  let all;
  for await (const piece of pieces) (all ??= collector(length())).add(piece);
  return all?.bytes() ?? room(0);
}

/**
 * `tail` by `stat` and `read`, for a source that has none.
 *
 * @param {Source} source
 * @returns {NonNullable<Source['tail']>}
 */
export const tailByRead = (source) => async (length, options) => {
  const stat = await source.stat(options);
  const offset = Math.max(0, stat.size - length);
  return { ...stat, bytes: await source.read(offset, stat.size - offset, options) };
};

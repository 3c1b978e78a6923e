import { controllerUnder, onAbort } from '../waiting.js';

/** @type {boolean | undefined} */
let byteStreams;

/** For runtimes whose byte streams return small pieces to readers without a buffer. */
export const avoidByteStreams = () => void (byteStreams = false);

/** Whether the runtime has streams that fill a buffer of the reader's. */
function hasByteStreams() {
  try {
    byteStreams ??= Boolean(new ReadableStream({ type: 'bytes' }));
  } catch {
    byteStreams = false;
  }
  return byteStreams;
}

/**
 * A stream of the pieces that `start` yields, one for each pull and none before. An abort ends it at once, even without
 * a reader.
 *
 * @param {(signal: AbortSignal) => AsyncGenerator<Uint8Array>} start
 * @param {AbortSignal} [signal]
 * @param {'own' | 'shared'} [bytes] makes a stream that BYOB readers can also read, if the runtime supports them: it
 *   transfers the pieces' buffers, or copies of pieces that are shared
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

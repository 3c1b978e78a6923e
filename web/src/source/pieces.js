/** Streams and pieces of bytes, as more than an end is read. */
import { collector, room } from '../collector.js';
import { streamOf } from './streams.js';

/** @import { Source } from '../types.js' */

/** @param {ReadableStream<Uint8Array>} stream @returns {AsyncGenerator<Uint8Array>} */
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
 * @param {Source} source @returns {NonNullable<Source['tail']>}
 */
export const tailByRead = (source) => async (length, options) => {
  const stat = await source.stat(options);
  const offset = Math.max(0, stat.size - length);
  return { ...stat, bytes: await source.read(offset, stat.size - offset, options) };
};

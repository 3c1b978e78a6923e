/** The output of an engine, as one array or as a stream. */
import { collector } from '../collector.js';
import { streamOf } from '../source/streams.js';
import { DONE } from '../wasm/engine.js';

/** @import { Told } from '../progress.js' */
/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
/** @import { FeedOptions } from '../wasm/feed.js' */
/** @import { OpenFile } from './open-file.js' */

/** The approximate size of a stream's pieces. */
const PIECE = 64 * 1024;

/** Like a collector, for an existing array. @param {Uint8Array<ArrayBuffer>} out */
function filler(out) {
  let length = 0;
  return {
    /** @param {Uint8Array} more */
    add(more) {
      out.set(more.subarray(0, out.length - length), length);
      length += more.length;
    },
    bytes: () => out.subarray(0, length),
  };
}

/**
 * Everything that the engine returns in DATA steps until it is done.
 *
 * @param {OpenFile} file
 * @param {Engine} engine
 * @param {DriveOptions & FeedOptions & { told?: Told }} options
 * @param {number} [expected]
 * @param {Uint8Array<ArrayBuffer>} [out] the destination, instead of a new array
 */
export async function collect(file, engine, options, expected, out) {
  const all = out ? filler(out) : collector(expected);
  await file.drive(engine, {
    ...options,
    onStep() {
      const bytes = engine.peek();
      all.add(bytes);
      options.told?.(bytes.length);
    },
  });
  return all.bytes();
}

/**
 * The same in pieces.
 *
 * @param {OpenFile} file
 * @param {(signal?: AbortSignal) => Engine | Promise<Engine>} begin makes the engine, which is
 *   freed at the end
 * @param {AbortSignal} [signal]
 * @param {Told} [told]
 */
export async function* enginePieces(file, begin, signal, told) {
  const engine = await begin(signal);
  try {
    for (let step = -1; step !== DONE;) {
      const piece = collector(PIECE);
      let size = 0;
      step = await file.drive(engine, {
        signal,
        onStep() {
          const bytes = engine.peek();
          piece.add(bytes);
          return (size += bytes.length) >= PIECE;
        },
      });
      told?.(size);
      yield piece.bytes();
    }
  } finally {
    engine.free();
  }
}

/**
 * The same as a stream; nothing is read until it is requested.
 *
 * @param {OpenFile} file @param {(signal?: AbortSignal) => Engine | Promise<Engine>} begin
 * @param {AbortSignal} [signal] @param {Told} [told]
 */
export const engineStream = (file, begin, signal, told) =>
  streamOf((inner) => enginePieces(file, begin, inner, told), signal, 'own');

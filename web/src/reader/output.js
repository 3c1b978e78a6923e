/** The bytes that an engine gives, as one array or as a stream. */
import { CpbError } from '../errors.js';
import { DONE } from '../wasm/engine.js';

/** @import { DriveOptions, Engine } from '../wasm/engine.js' */
/** @import { FeedOptions } from '../wasm/feed.js' */
/** @import { OpenFile } from './file.js' */

/** What a stream gives at a time, about. */
const PIECE = 64 * 1024;

/**
 * Takes bytes together; memory is taken as they come, whatever `expected` says.
 *
 * @param {number} [expected] how many there will probably be
 */
export function collector(expected = 0) {
  let bytes = new Uint8Array(Math.min(expected, 2 ** 20));
  let length = 0;
  return {
    /** @param {Uint8Array} more */
    add(more) {
      const needed = length + more.length;
      if (needed > bytes.length) {
        const larger = room(
          Math.max(needed, Math.min(2 * bytes.length, Math.max(expected, needed * 1.5))),
        );
        larger.set(bytes.subarray(0, length));
        bytes = larger;
      }
      bytes.set(more, length);
      length = needed;
    },
    bytes: () => (length === bytes.length ? bytes : bytes.slice(0, length)),
  };
}

/**
 * @param {number} length
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function room(length) {
  try {
    return new Uint8Array(length);
  } catch (cause) {
    throw new CpbError('MEMORY', `out of memory: an array of ${length} bytes`, { cause });
  }
}

/**
 * All that the engine gives by DATA steps until it is done.
 *
 * @param {OpenFile} file
 * @param {Engine} engine
 * @param {DriveOptions & FeedOptions} options
 * @param {number} [expected]
 */
export async function collect(file, engine, options, expected) {
  const all = collector(expected);
  await file.drive(engine, { ...options, onStep: () => all.add(engine.peek()) });
  return all.bytes();
}

/**
 * The same as a stream; nothing is read before it is asked for.
 *
 * @param {OpenFile} file
 * @param {(signal?: AbortSignal) => Engine | Promise<Engine>} begin makes the engine, which is
 *   freed at the end
 * @param {DriveOptions & FeedOptions} options
 * @returns {ReadableStream<Uint8Array>}
 */
export function streamOf(file, begin, options) {
  /** @type {Engine | undefined} */
  let engine;
  const end = () => engine?.free();

  /** @param {Engine} from */
  async function next(from) {
    const piece = collector(PIECE);
    let size = 0;
    const step = await file.drive(from, {
      ...options,
      onStep() {
        const bytes = from.peek();
        piece.add(bytes);
        return (size += bytes.length) >= PIECE;
      },
    });
    return { bytes: piece.bytes(), done: step === DONE };
  }
  return lazyStream(
    async () => next((engine ??= await begin(options.signal))),
    end,
    options.signal,
  );
}

/**
 * A stream of what `next` answers, one piece for each time that it is pulled.
 *
 * @param {() => Promise<{ bytes?: Uint8Array, done: boolean }>} next
 * @param {() => void} end called once, however it ends
 * @param {AbortSignal} [signal]
 * @returns {ReadableStream<Uint8Array>}
 */
export function lazyStream(next, end, signal) {
  let abort = () => {};
  const finish = () => {
    signal?.removeEventListener('abort', abort);
    end();
  };
  return new ReadableStream(
    {
      start(controller) {
        abort = () => {
          controller.error(signal?.reason);
          finish();
        };
        if (signal?.aborted) abort();
        else signal?.addEventListener('abort', abort);
      },
      async pull(controller) {
        try {
          const { bytes, done } = await next();
          if (signal?.aborted) return;
          if (bytes?.length) controller.enqueue(bytes);
          if (done) {
            finish();
            controller.close();
          } else if (!bytes?.length) {
            await this.pull?.(controller);
          }
        } catch (error) {
          finish();
          throw error;
        }
      },
      cancel: finish,
    },
    { highWaterMark: 0 },
  );
}

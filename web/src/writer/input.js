/** A stream as an input: it is read more than once, so it is kept in memory. */
import { asBytes, collector } from '../bytes.js';
import { CpbError } from '../errors.js';
import { abortable } from '../source/abort.js';

/**
 * What can be split or merged: what can be opened, and a stream, which is then held in memory.
 * @typedef {import('../source/index.js').Input | ReadableStream<Uint8Array>} AnyInput
 */

/** Of what must be held: an input that is a stream, a chunk on its way to a stream. */
export const MEMORY = 256 * 2 ** 20;

/**
 * @param {AnyInput} input
 * @param {number} [memory] the most bytes of a stream
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('../source/index.js').Input>}
 */
export async function hold(input, memory = MEMORY, signal) {
  if (!(input instanceof ReadableStream)) return input;
  const reader = input.getReader();
  const all = collector();
  try {
    for (let size = 0; ;) {
      const { done, value } = await abortable(reader.read(), signal);
      if (done) return all.bytes();
      const bytes = asBytes(value);
      size += bytes.length;
      if (size > memory) {
        throw new CpbError(
          'LIMIT',
          `the stream is longer than ${memory} bytes: give a Blob, a URL, a file or a source, which are not held in memory, or raise the option memory`,
        );
      }
      all.add(bytes);
    }
  } catch (error) {
    reader.cancel(error).catch(() => {});
    throw error;
  }
}

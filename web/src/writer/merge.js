/** merge(): a chunked message put together again. */
import * as is from '../options.js';
import { open } from '../reader/index.js';
import { piecesOf } from '../source/streams.js';
import { hold } from './input.js';
import { outputOf } from './output.js';

/** @import { OpenOptions } from '../reader/open.js' */
/** @import { AnyInput } from './input.js' */
/** @import { Piece } from './output.js' */

/** @typedef {Omit<OpenOptions, 'signal'> & { memory?: number }} MergeOptions as for `open`, and
 *   the longest stream as an input */

/** @type {import('../options.js').Known} */
const known = { ...is.opening, memory: is.amount };

/**
 * Makes the message of a .cpb file. A plain message is copied, if `format` is 'pb'.
 *
 * @param {AnyInput} input the .cpb file
 * @param {MergeOptions} [options]
 */
const merge = (input, options = {}) =>
  outputOf(async function* ({ signal, onProgress }) {
    is.checkOptions(options, known);
    const { memory, ...how } = options;
    signal?.throwIfAborted();
    const bytes = await hold(input, memory, signal);
    const message = await open(bytes, { format: 'cpb', ...how, signal });
    try {
      const total = onProgress ? await message.messageSize({ signal }) : 0;
      let size = 0;
      for await (const piece of piecesOf(message.merged({ signal }))) {
        yield { offset: size, bytes: /** @type {Piece['bytes']} */ (piece) };
        size += piece.length;
        onProgress?.({ done: size, total });
      }
      return { chunks: message.numChunks, size, isSplit: message.numChunks > 1 };
    } finally {
      message.close();
    }
  });

export { merge };

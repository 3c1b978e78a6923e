/** merge(): a chunked message put together again. */
import * as is from '../options.js';
import { open } from '../reader/index.js';
import { piecesOf } from '../source/streams.js';
import { outputOf } from './output.js';

/** @import { OpenOptions } from '../reader/open.js' */
/** @import { Input } from '../source/index.js' */
/** @import { Piece } from './output.js' */

/** @typedef {Omit<OpenOptions, 'signal'>} MergeOptions as for `open` */

/**
 * Makes the message of a .cpb file. A plain message is copied, if `format` is 'pb'.
 *
 * @param {Input} input the .cpb file
 * @param {MergeOptions} [options]
 */
const merge = (input, options = {}) =>
  outputOf(async function* ({ signal, onProgress }) {
    is.checkOptions(options);
    signal?.throwIfAborted();
    const message = await open(input, { format: 'cpb', ...options, signal });
    try {
      const total = onProgress ? await message.messageSize({ signal }) : 0;
      let size = 0;
      for await (const piece of piecesOf(message.merged({ signal }))) {
        const offset = size;
        size += piece.length;
        yield { offset, bytes: /** @type {Piece['bytes']} */ (piece) };
        onProgress?.({ done: size, total });
      }
      return { chunks: message.numChunks, size, isSplit: message.numChunks > 1 };
    } finally {
      message.close();
    }
  });

export { merge };

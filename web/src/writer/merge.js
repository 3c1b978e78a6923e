/** merge(): a chunked message put together again. */
import * as is from '../options.js';
import * as content from '../reader/message-content.js';
import { openAs } from '../reader/open.js';
import { piecesOf } from '../source/pieces.js';
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
export function merge(input, options = {}) {
  return outputOf(async function* ({ signal, onProgress, put }) {
    is.checkOptions(options);
    signal?.throwIfAborted();
    const how = { format: /** @type {const} */ ('cpb'), ...options, signal };
    const opened = await openAs('reader', () => content, input, how);
    const { message } = opened;
    try {
      const total = onProgress ? await message.messageSize({ signal }) : 0;
      let size = 0;
      const told = (/** @type {number} */ more) => {
        size += more;
        onProgress?.({ done: size, total });
      };
      if (put) {
        const whole = await opened.content();
        await whole.write((offset, bytes) => (put(offset, bytes), told(bytes.length)), { signal });
      } else {
        for await (const piece of piecesOf(message.merged({ signal }))) {
          const { length } = piece; // the consumer may transfer the buffer
          yield { offset: size, bytes: /** @type {Piece['bytes']} */ (piece) };
          told(length);
        }
      }
      return { chunks: message.numChunks, size, isSplit: message.numChunks > 1 };
    } finally {
      message.close();
    }
  });
}

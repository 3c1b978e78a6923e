/** open(), with all that it needs. */
import { checkOptions } from '../options.js';
import * as content from './message-content.js';
import { openWith } from './open.js';

/**
 * Opens a chunked (.cpb) or a plain protobuf message. Opening reads the index at the end of a .cpb file, in one or
 * two requests, and only the end of a .pb file. If the file changes while it is opened, opening starts again, once.
 * If the file changes later, calls reject with CHANGED: open it again.
 *
 * @param {import('../source/index.js').Input} input a URL, path, Blob, bytes, stream, file handle, or a Source
 *   of yours
 * @param {import('./open.js').OpenOptions} [options]
 */
async function open(input, options = {}) {
  checkOptions(options);
  return openWith(() => content, input, options);
}

export { open };

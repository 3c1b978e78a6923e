/** open(), with everything it needs. */
import { checkOptions } from '../options.js';
import * as content from './message-content.js';
import { openWith } from './open.js';

/**
 * Opens a chunked (.cpb) or a plain protobuf message. For a .cpb file it reads the index at its end, in one or two
 * requests; for a .pb only its end. If the file changes during this, it starts over, once; later changes reject with
 * CHANGED: open it again.
 *
 * @param {import('../source/index.js').Input} input a URL, path, Blob, bytes, stream, file handle, or your own Source
 * @param {import('./open.js').OpenOptions} [options]
 */
export async function open(input, options = {}) {
  checkOptions(options);
  return openWith(() => content, input, options);
}

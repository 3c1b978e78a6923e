/** open(), with all that it needs. */
import { checkOptions } from '../options.js';
import * as content from './message-content.js';
import { openWith } from './open.js';

/**
 * Opens a chunked (.cpb) or a plain protobuf message. Of a .cpb file the index at
 * its end is read, in one or two requests; of a .pb nothing but its end. What changes
 * meanwhile is begun anew, once; what changes later rejects with CHANGED: open it again.
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

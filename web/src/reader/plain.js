/** A file that is the message itself (.pb), by ranges. */
import { abortable } from '../source/wait.js';
import { lazyStream, room } from './output.js';

/** @import { OpenFile } from './file.js' */
/** @import { Body } from './virtual.js' */

/** Bytes of one read where the source cannot stream. */
const PIECE = 2 ** 20;

/**
 * @param {OpenFile} file
 * @returns {Body}
 */
export function plainOf(file) {
  const { source } = file;

  /** @type {Body} */
  const plain = {
    async size(options) {
      file.check();
      return (file.size ??= (await source.stat(options)).size);
    },

    async read(offset, length, options) {
      const n = Math.min(length, (await plain.size(options)) - offset);
      return n > 0 ? abortable(source.read(offset, n, options), options?.signal) : room(0);
    },

    stream(offset, length, options = {}) {
      /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
      let reader;
      let at = offset;

      async function next() {
        const end = Math.min(offset + length, await plain.size(options));
        if (at >= end) return { done: true };
        if (source.stream) reader ??= source.stream(offset, end - offset, options).getReader();
        const bytes = reader
          ? (await reader.read()).value
          : await source.read(at, Math.min(end - at, PIECE), options);
        at += bytes?.length ?? 0;
        return { bytes, done: !bytes || at >= end };
      }
      return lazyStream(next, () => void reader?.cancel().catch(() => {}), options.signal);
    },
  };
  return plain;
}

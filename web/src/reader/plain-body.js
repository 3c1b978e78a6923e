/** A file that is the message itself (.pb), by ranges. */
import { room } from '../bytes.js';
import { piecesOf, streamOf } from '../source/streams.js';

/** @import { OpenFile } from './open-file.js' */
/** @import { Body } from './merged-body.js' */

/**
 * @param {OpenFile} file
 * @param {boolean} thrifty whether no byte is read that may not be needed
 * @returns {Body}
 */
export function plainBody(file, thrifty) {
  const { source } = file;

  /** @type {Body} */
  const plain = {
    goesOn: !source.local && !thrifty,

    async size(options) {
      file.check();
      return (file.size ??= (await source.stat(options)).size);
    },

    async read(offset, length, options) {
      const n = Math.min(length, (await plain.size(options)) - offset);
      return n > 0 ? source.read(offset, n, options) : room(0);
    },

    stream: (offset, length, { signal: outer } = {}) =>
      streamOf(async function* pieces(signal) {
        const n = Math.min(length, (await plain.size({ signal })) - offset);
        if (n > 0) yield* piecesOf(source.stream(offset, n, { signal }));
      }, outer),
  };
  return plain;
}

/** A file that is the message itself (.pb), by ranges. */
import { room } from '../collector.js';
import { collect, piecesOf } from '../source/pieces.js';
import { streamOf } from '../source/streams.js';

/** @import { OpenFile } from './open-file.js' */
/** @import { BodyOptions, Whole } from './merged-body.js' */

/** For progress reports, longer reads come in pieces. */
const SILENT = 8 * 2 ** 20;

/**
 * @param {OpenFile} file
 * @param {boolean} thrifty whether to read only bytes that are certainly needed
 * @returns {Whole}
 */
export function plainBody(file, thrifty) {
  const { source } = file;

  /** @type {Whole} */
  const plain = {
    goesOn: !source.local && !thrifty,

    async size(options) {
      file.check();
      return (file.size ??= (await source.stat(options)).size);
    },

    async read(offset, length, { signal, told } = {}) {
      const n = Math.min(length, (await plain.size({ signal })) - offset);
      if (n <= 0) return room(0);
      if (told && n > SILENT) return collect(pieces(offset, n, { signal, told }), () => n);
      const bytes = await source.read(offset, n, { signal });
      told?.(bytes.length, n);
      return bytes;
    },

    stream: (offset, length, { signal: outer, told } = {}) =>
      streamOf((signal) => pieces(offset, length, { signal, told }), outer),

    async write(put, options = {}) {
      let size = 0;
      for await (const piece of pieces(0, Infinity, options)) {
        put(size, piece);
        size += piece.length;
      }
    },
  };

  /** @param {number} offset @param {number} length @param {BodyOptions} options */
  async function* pieces(offset, length, { signal, told }) {
    const n = Math.min(length, (await plain.size({ signal })) - offset);
    if (n <= 0) return;
    for await (const piece of piecesOf(source.stream(offset, n, { signal }))) {
      told?.(piece.length, n);
      yield piece;
    }
  }
  return plain;
}

import { asBytes, concat } from '../bytes.js';
import { asCpbError, CpbError } from '../errors.js';
import { abortable } from '../source/wait.js';
import { around, layer, streamThrough } from './layer.js';

/** @typedef {import('../types.js').Source} Source */

/** How often a source may give less than was asked for. */
const PATIENCE = 4;

/**
 * Whatever the source below is, what comes out is exactly what was asked for, or a
 * CpbError; an abort is answered at once. Short reads are continued, a few times.
 *
 * @returns {import('../types.js').Middleware}
 */
const check = () => (source) => {
  const who = source.name ?? 'the source';

  /**
   * @template T
   * @param {() => Promise<T>} ask
   * @param {import('../types.js').ReadOptions} [options]
   * @returns {Promise<T>}
   */
  async function checked(ask, { signal } = {}) {
    signal?.throwIfAborted();
    try {
      return await abortable(ask(), signal);
    } catch (error) {
      throw signal?.aborted ? signal.reason : asCpbError(error, who);
    }
  }

  /** @param {string} what @param {number} [offset] */
  const wrong = (what, offset) => new CpbError('READ', `${who} ${what}`, { offset });

  const below = around(source, checked);
  const { tail, readMany } = below;

  /** @type {Source['read']} */
  async function some(offset, length, options) {
    const bytes = asBytes(await below.read(offset, length, options));
    if (bytes.length > length) throw wrong(`gave ${bytes.length} bytes for ${length}`, offset);
    return bytes;
  }

  /** @type {Source['read']} */
  async function read(offset, length, options) {
    demand(offset, length);
    /** @type {Uint8Array[]} */
    const parts = [];
    for (let end = offset + length, tries = 0; offset < end; tries++) {
      if (tries > 0) end = Math.min(end, (await stat(options)).size);
      if (offset >= end) break;
      if (tries > PATIENCE) throw wrong('gives too few bytes', offset);
      const bytes = await some(offset, end - offset, options);
      parts.push(bytes);
      offset += bytes.length;
    }
    return concat(parts);
  }

  /** @type {Source['stat']} */
  async function stat(options) {
    const known = await below.stat(options);
    if (Number.isSafeInteger(known?.size) && known.size >= 0) return known;
    throw wrong(`says that its size is ${known?.size}`);
  }

  return layer(source, {
    read,
    stat,
    tail: tail && (async (length, options) => {
      demand(0, length);
      const end = await tail(length, options);
      const bytes = asBytes(end.bytes);
      if (bytes.length === Math.min(length, end.size)) return { ...end, bytes };
      throw wrong(`gave ${bytes.length} bytes for the last ${length}`);
    }),
    readMany: readMany && (async (ranges, options) => {
      for (const { offset, length } of ranges) demand(offset, length);
      const all = await readMany(ranges, options);
      return Promise.all(ranges.map(({ offset, length }, i) => {
        const bytes = all[i] && asBytes(all[i]);
        return bytes?.length === length ? bytes : read(offset, length, options);
      }));
    }),
    stream: streamThrough(source, async function* exact(pieces, offset, length, signal) {
      const end = offset + length;
      try {
        for await (const piece of pieces) {
          offset += piece.length;
          if (offset > end) throw wrong(`streams more than ${length} bytes`, end);
          yield asBytes(piece);
        }
      } catch (error) {
        throw signal.aborted ? signal.reason : asCpbError(error, who);
      }
      if (offset < end && offset < (await stat({ signal })).size) {
        throw new CpbError('NETWORK', `the stream of ${who} ended too early`,
          { offset, retryable: true });
      }
    }),
  });
};

/** @param {number} offset @param {number} length */
function demand(offset, length) {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(offset + length);
  if (whole && offset >= 0 && length >= 0) return;
  throw new CpbError('USAGE', `no range of bytes: ${length} at ${offset}`);
}

export { check };

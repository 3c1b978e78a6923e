import { CpbError } from '../errors.js';
import { piecesOf, streamOf } from '../source/pieces.js';
import { abortable } from '../source/wait.js';
import { layer } from './layer.js';

/** @typedef {import('../types.js').Source} Source */

/** How often a source may give less than was asked for. */
const PATIENCE = 4;

/**
 * Whatever the source below is, what comes out is exactly what was asked for, or a
 * CpbError; an abort is answered at once. Short reads are continued, a few times.
 *
 * @returns {import('../types.js').Middleware}
 */
export const check = () => (source) => {
  const who = source.name ?? 'the source';

  /**
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async function checked(signal, ask) {
    signal?.throwIfAborted();
    try {
      return await abortable(ask(), signal);
    } catch (error) {
      throw signal?.aborted ? signal.reason : asCpbError(error, who);
    }
  }

  /** @type {Source['read']} */
  async function read(offset, length, options = {}) {
    demand(offset, length);
    let bytes = await some(offset, length, options);
    for (let i = 0; bytes.length < length; i++) {
      const at = offset + bytes.length;
      const { size } = await stat(options);
      if (at >= size) break;
      if (i === PATIENCE) throw new CpbError('READ', `${who} gives too few bytes`, { offset: at });
      bytes = concat(bytes, await some(at, Math.min(length, size - offset) - bytes.length, options));
    }
    return bytes;
  }

  /** @type {Source['read']} */
  async function some(offset, length, options = {}) {
    if (length === 0) return new Uint8Array(0);
    const bytes = asBytes(await checked(options.signal, () => source.read(offset, length, options)));
    if (bytes.length > length) {
      throw new CpbError('READ', `${who} gave ${bytes.length} bytes for ${length}`, { offset });
    }
    return bytes;
  }

  /** @type {Source['stat']} */
  async function stat(options = {}) {
    const known = await checked(options.signal, async () => source.stat(options));
    if (!Number.isSafeInteger(known?.size) || known.size < 0) {
      throw new CpbError('READ', `${who} says that its size is ${known?.size}`);
    }
    return known;
  }

  const { stream, tail, readMany } = source;
  return layer(source, {
    read,
    stat,
    tail: tail && (async (length, options = {}) => {
      demand(0, length);
      const end = await checked(options.signal, () => tail.call(source, length, options));
      const bytes = asBytes(end.bytes);
      if (bytes.length === Math.min(length, end.size)) return { ...end, bytes };
      throw new CpbError('READ',
        `${who} gave ${bytes.length} for the last ${length} of ${end.size} bytes`);
    }),
    readMany: readMany && (async (ranges, options = {}) => {
      for (const { offset, length } of ranges) demand(offset, length);
      const all = await checked(options.signal, () => readMany.call(source, ranges, options));
      return Promise.all(ranges.map(({ offset, length }, i) => {
        const bytes = all[i] && asBytes(all[i]);
        return bytes?.length === length ? bytes : read(offset, length, options);
      }));
    }),
    stream: stream && ((offset, length, { signal } = {}) => streamOf(async function* pieces(inner) {
      let left = length;
      try {
        for await (const piece of piecesOf(stream.call(source, offset, length, { signal: inner }))) {
          if ((left -= piece.length) < 0) {
            throw new CpbError('READ', `${who} streams more than ${length} bytes`, { offset });
          }
          yield asBytes(piece);
        }
      } catch (error) {
        throw inner.aborted ? inner.reason : asCpbError(error, who);
      }
      if (left > 0 && left < Infinity) {
        const { size } = await stat({ signal: inner });
        if (offset + length - left < size) {
          throw new CpbError('NETWORK', `${who} stops ${left} bytes before the end of its stream`,
            { offset: offset + length - left, retryable: true });
        }
      }
    }, signal)),
  });
};

/** @param {number} offset @param {number} length */
function demand(offset, length) {
  if (offset >= 0 && length >= 0 && Number.isSafeInteger(offset) && Number.isSafeInteger(offset + length)) return;
  throw new CpbError('USAGE', `no range of bytes: ${length} at ${offset}`);
}

/** @param {unknown} error @param {string} who */
export function asCpbError(error, who) {
  if (error instanceof CpbError) return error;
  const { message } = /** @type {Error} */ (error ?? {});
  return new CpbError('READ', `${who}: ${message ?? error}`, { cause: error });
}

/**
 * A Uint8Array and no Buffer, whose `slice` would not copy.
 *
 * @param {ArrayBuffer | ArrayBufferView} bytes
 */
export function asBytes(bytes) {
  if (bytes?.constructor === Uint8Array) return bytes;
  if (ArrayBuffer.isView(bytes)) return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Object.prototype.toString.call(bytes) === '[object ArrayBuffer]') return new Uint8Array(bytes);
  throw new CpbError('READ', `a source gave ${typeof bytes}, not bytes`);
}

/** @param {...Uint8Array} parts @returns {Uint8Array} */
export function concat(...parts) {
  if (parts.length === 1) return /** @type {Uint8Array} */ (parts[0]);
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

import { asBytes, concat } from '../bytes.js';
import { asCpbError, CpbError } from '../errors.js';
import { abortable } from '../waiting.js';
import { around, layer, streamThrough } from './layer.js';

/** @import { ReadOptions, Source } from '../types.js' */

/**
 * The source that is checked, and its name for messages.
 * @typedef {{ who: string, below: Pick<Source, 'read' | 'stat' | 'tail'> }} Checked
 */

/** How many short reads in a row are continued. */
const CONTINUED = 4;

/**
 * Whatever the wrapped source does, each read returns exactly the requested bytes, or fails with a CpbError. An abort
 * takes effect at once. Short reads are continued, a few times.
 *
 * @returns {import('../types.js').Middleware}
 */
export function check() {
  return (source) => {
    const who = source.name ?? 'the source';
    const below = around(source, (ask, options) => checked(who, ask, options));
    const it = { who, below };
    return layer(source, {
      read: (...args) => read(it, ...args),
      stat: (...args) => stat(it, ...args),
      tail: below.tail && ((...args) => tail(it, ...args)),
      stream: streamThrough(source, (...args) => exact(it, ...args)),
    });
  };
}

/**
 * Makes errors of the source CpbErrors, and does not wait for it after an abort.
 *
 * @template T @param {string} who @param {() => Promise<T>} ask @param {ReadOptions} [options] @returns {Promise<T>}
 */
async function checked(who, ask, { signal } = {}) {
  signal?.throwIfAborted();
  try {
    return await abortable(ask(), signal);
  } catch (error) {
    throw signal?.aborted ? signal.reason : asCpbError(error, who);
  }
}

/** @param {Checked} it @param {string} what @param {number} [offset] */
const wrong = ({ who }, what, offset) => new CpbError('READ', `${who} ${what}`, { offset });

/** @param {Checked} it @param {number} offset @param {number} length @param {ReadOptions} [options] */
async function some(it, offset, length, options) {
  const bytes = asBytes(await it.below.read(offset, length, options));
  if (bytes.length > length) throw wrong(it, `returned ${bytes.length} bytes, not ${length}`, offset);
  return bytes;
}

/** @param {Checked} it @param {number} offset @param {number} length @param {ReadOptions} [options] */
async function read(it, offset, length, options) {
  demand(offset, length);
  /** @type {Uint8Array[]} */
  const parts = [];
  for (let end = offset + length, tries = 0; offset < end; tries++) {
    if (tries > 0) end = Math.min(end, (await stat(it, options)).size);
    if (offset >= end) break;
    if (tries > CONTINUED) throw wrong(it, 'keeps returning less than was asked for', offset);
    const bytes = await some(it, offset, end - offset, options);
    parts.push(bytes);
    offset += bytes.length;
  }
  return concat(parts);
}

/** @param {Checked} it @param {ReadOptions} [options] */
async function stat(it, options) {
  const known = await it.below.stat(options);
  if (Number.isSafeInteger(known?.size) && known.size >= 0) return known;
  throw wrong(it, `reported the size ${known?.size}`);
}

/** @param {Checked} it @param {number} length @param {ReadOptions} [options] */
async function tail(it, length, options) {
  demand(0, length);
  const end = await /** @type {Required<Source>} */ (it.below).tail(length, options);
  const bytes = asBytes(end.bytes);
  if (bytes.length === Math.min(length, end.size)) return { ...end, bytes };
  throw wrong(it, `returned ${bytes.length} bytes, not the last ${length}`);
}

/**
 * @param {Checked} it @param {AsyncGenerator<Uint8Array>} pieces @param {number} offset @param {number} length
 * @param {AbortSignal} signal
 */
async function* exact(it, pieces, offset, length, signal) {
  const { who } = it;
  const end = offset + length;
  try {
    for await (const piece of pieces) {
      offset += piece.length;
      if (offset > end) throw wrong(it, `streams more than ${length} bytes`, end);
      yield asBytes(piece);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : asCpbError(error, who);
  }
  if (offset < end && offset < (await stat(it, { signal })).size)
    throw new CpbError('NETWORK', `the stream of ${who} ended too early`, { offset, retryable: true });
}

/** @param {number} offset @param {number} length */
function demand(offset, length) {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(offset + length);
  if (whole && offset >= 0 && length >= 0) return;
  throw new CpbError('USAGE', `no range of bytes: offset ${offset}, length ${length}`);
}

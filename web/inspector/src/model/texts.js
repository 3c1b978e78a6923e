/** The texts of an array of strings: the first ones, each up to the length that a page shows. */
import { concat } from './slices.js';

/** Number of texts, bytes of one, and total bytes to read. */
const [FIRST, LONG, MOST] = [64, 2000, 2 ** 20];

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A byte other than a letter, as in Python's repr. @param {number} byte */
const escaped = (byte) =>
  byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;

/** Text if it is UTF-8, else its bytes, escaped. @param {Uint8Array} bytes */
function textOf(bytes) {
  const cut = bytes.length > LONG;
  const longest = Math.min(bytes.length, LONG);
  // A character may be cut, of at most four bytes.
  for (let end = longest; end > longest - (cut ? 4 : 1); end--) {
    try {
      return strict.decode(bytes.subarray(0, end)) + (cut ? '…' : '');
    } catch {
      // Perhaps with less.
    }
  }
  return Array.from(bytes.subarray(0, LONG), escaped).join('') + (cut ? '…' : '');
}

/** The beginning of an array, no longer than needed. @param {any} array @param {AbortSignal} signal */
async function beginning(array, signal) {
  /** @type {Uint8Array[]} */
  const pieces = [];
  let size = 0;
  for await (const piece of array.stream({ signal })) {
    pieces.push(piece.slice());
    size += piece.length;
    if (size >= MOST) break; // which ends the stream
  }
  return concat(pieces);
}

/** TensorFlow's: each after its length. @param {Uint8Array} bytes @param {number} count */
function afterLengths(bytes, count) {
  const view = new DataView(bytes.buffer);
  const texts = [];
  for (let at = 0; texts.length < count && at + 8 <= bytes.length;) {
    const length = Number(view.getBigUint64(at, true));
    if (at + 8 + Math.min(length, LONG) > bytes.length) break;
    texts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return texts;
}

/**
 * ND4J's: where each begins and ends, then all.
 *
 * @param {Uint8Array} bytes @param {number} shown @param {number} count
 */
function afterOffsets(bytes, shown, count) {
  const view = new DataView(bytes.buffer);
  const texts = [];
  const head = 8 * (count + 1);
  for (let i = 0; i < shown && head <= bytes.length; i++) {
    const [from, to] = [view.getBigInt64(8 * i, true), view.getBigInt64(8 * i + 8, true)].map(Number);
    texts.push(bytes.subarray(head + Number(from), head + Number(to)));
  }
  return texts;
}

/**
 * @param {any} array as `values` of a model gives it, with `exactTexts`
 * @param {AbortSignal} signal
 * @returns {Promise<{ count: number, texts: string[] }>}
 */
export async function textsOf(array, signal) {
  const { count, dtype } = array;
  const bytes = await beginning(array, signal);
  const shown = Math.min(FIRST, count);
  const found = dtype === 'UTF8' ? afterOffsets(bytes, shown, count) : afterLengths(bytes, shown);
  return { count, texts: found.map(textOf) };
}

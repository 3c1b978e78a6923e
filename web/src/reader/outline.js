/**
 * The outline of a plain message: the bytes that showed the places of its fields, which `persist` keeps between
 * sessions. A kept outline is used only if it is intact, and belongs to a file of this size and ETag.
 */
import { collector } from '../collector.js';
import { keepers } from '../middleware/layer.js';
import { isWeak } from '../source/headers.js';

/** @import { Source } from '../types.js' */
/** @import { Piece } from '../wasm/feed.js' */

/** Its beginning, with a version number of the format. */
const BEGIN = 'cpb outline 1 ';
const SUM = 8;

/** The longest piece: longer ones are values. */
const LONG = 128 * 1024;

/** The largest total size of the pieces, and the largest number. */
const MOST = 2 * 2 ** 20;
const MANY = 16_384;

/** How long to wait for more, in milliseconds. */
const SOON = 200;

/** CRC-32. @param {Uint8Array} bytes */
function sumOf(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (~sum >>> 0).toString(16).padStart(SUM, '0');
}

/**
 * @param {string} of identifies the file
 * @param {Piece[]} pieces
 */
export function encodeOutline(of, pieces) {
  const encoder = new TextEncoder();
  const list = pieces.map(({ offset, bytes }) => [offset, bytes.length]);
  const content = collector();
  content.add(encoder.encode(`${JSON.stringify([of, list])}\n`));
  for (const { bytes } of pieces) content.add(bytes);
  const all = collector();
  all.add(encoder.encode(BEGIN + sumOf(content.bytes())));
  all.add(content.bytes());
  return all.bytes();
}

/**
 * The pieces, unless it is damaged or belongs to another file.
 *
 * @param {string} of @param {Uint8Array} kept @returns {Piece[] | undefined}
 */
export function decodeOutline(of, kept) {
  const head = BEGIN.length + SUM;
  const content = kept.subarray(head);
  const text = (/** @type {Uint8Array} */ bytes) => new TextDecoder().decode(bytes);
  if (kept.length > 2 * MOST || text(kept.subarray(0, head)) !== BEGIN + sumOf(content)) return undefined;
  let at = content.indexOf(10) + 1;
  const [file, list] = JSON.parse(text(content.subarray(0, at)));
  if (file !== of) return undefined;
  return list.map((/** @type {[number, number]} */ [offset, length]) => ({
    offset,
    bytes: content.subarray(at, (at += length)),
  }));
}

/** The outline of a file; undefined if it cannot be kept. @param {Source} source @param {number} size */
export function keptOutline(source, size) {
  const keeper = source.key && keepers.get(source.key);
  if (!keeper) return undefined;
  /** @type {Piece[]} */
  let pieces = [];
  let sum = 0;
  let of = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  async function load() {
    const { etag } = await source.stat();
    if (!etag || isWeak(etag)) return;
    of = `${size} ${etag}`;
    const kept = await keeper?.get();
    pieces = (kept && decodeOutline(of, kept)) ?? [];
    sum = pieces.reduce((all, { bytes }) => all + bytes.length, 0);
    if (kept && pieces.length === 0) keeper?.put(undefined);
  }

  function save() {
    if (timer !== undefined) keeper?.put(encodeOutline(of, pieces));
    clearTimeout(timer);
    timer = undefined;
  }

  /** @type {Promise<void> | undefined} */
  let loading;
  /** @param {number} offset */
  const find = (offset) => pieces.find((p) => offset >= p.offset && offset < p.offset + p.bytes.length);

  return {
    save,
    /** The bytes available from `offset` on. @param {number} offset @param {number} length */
    async at(offset, length) {
      await (loading ??= load().catch(() => {}));
      const piece = find(offset);
      return piece?.bytes.subarray(offset - piece.offset, offset - piece.offset + length);
    },
    /** @param {number} offset @param {Uint8Array} bytes */
    add(offset, bytes) {
      const room = bytes.length <= LONG && sum + bytes.length <= MOST && pieces.length < MANY;
      if (!of || !room || bytes.length === 0 || find(offset)) return;
      pieces.push({ offset, bytes: bytes.slice() });
      sum += bytes.length;
      timer ??= setTimeout(save, SOON);
      /** @type {any} */ (timer).unref?.();
    },
  };
}

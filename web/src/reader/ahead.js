/** Windows of a file that are read one after another, each while the one before is used. */
import { layer } from '../middleware/layer.js';
import { abortable } from '../waiting.js';

/** @import { Range, Source } from '../types.js' */

/**
 * `source` for a reader of `windows` in order: after two consecutive ones, the next is requested
 * before it is needed, and never more than one. If that request fails, the window is requested
 * again when it is needed.
 *
 * @param {Source} source
 * @param {Range[]} windows in their order
 * @returns {{ source: Source, stop: () => void }}
 */
export function aheadOf(source, windows) {
  const controller = new AbortController();
  const { signal } = controller;
  /** @type {{ offset: number, length: number, bytes: Promise<Uint8Array | void> } | undefined} */
  let coming;
  let last = -2;

  /** @param {number} offset that was read */
  function goOn(offset) {
    const i = windows.findIndex((w) => offset >= w.offset && offset < w.offset + w.length);
    const next = windows[i + 1];
    if (next?.length && i === last + 1 && !coming && !signal.aborted) {
      const bytes = source.read(next.offset, next.length, { signal });
      coming = { ...next, bytes: bytes.catch(() => {}) };
    }
    last = i;
  }

  /** @type {Source['read']} */
  async function read(offset, length, options) {
    const from = coming;
    let bytes;
    if (from && offset >= from.offset && offset + length <= from.offset + from.length) {
      const begin = offset - from.offset;
      bytes = (await abortable(from.bytes, options?.signal))?.subarray(begin, begin + length);
      coming = undefined;
    }
    bytes ??= await source.read(offset, length, options);
    goOn(offset);
    return bytes;
  }

  return { source: layer(source, { read }), stop: () => controller.abort() };
}

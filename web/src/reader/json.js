/** Messages as JSON, whole or without their large values. */
import { DONE } from '../wasm/engine.js';
import { using } from './chunks.js';
import { structs } from './structs.js';

/** @import { Range, ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from './file.js' */

/** Bytes that an outline may take before LIMIT. */
const OUTLINE_MOST = 256 * 2 ** 20;

/**
 * @param {OpenFile} file
 * @param {number} type
 * @param {Uint8Array} bytes of a message
 * @returns {any}
 */
export function jsonOf(file, type, bytes) {
  return file.instance.scope((scope) => textOf(file, type, scope.bytes(bytes), bytes.length, 0, 0));
}

/**
 * The message that `ranges` are, without values longer than `omit` bytes: in
 * their place is {"@omitted": {"offset", "size"}}. These are not read.
 *
 * @param {OpenFile} file
 * @param {Feed} feed
 * @param {Range[]} ranges
 * @param {number} type
 * @param {number} omit
 * @param {ReadOptions} [options]
 */
export async function outlineOf(file, feed, ranges, type, omit, options) {
  const { instance } = file;
  if (ranges.length === 0) return {};
  const outline = file.make('cpb_outline', (scope) => {
    const list = scope.alloc(16 * ranges.length);
    ranges.forEach((range, i) => instance.set('range', list + 16 * i, range));
    // Zero would mean the default.
    const how = { max_value: omit || 1, max_size: OUTLINE_MOST, limits: file.limitsIn(scope) };
    return instance.c.cpb_outline_new(
      0,
      type,
      list,
      ranges.length,
      scope.struct(structs.outline_options, how),
    );
  });
  return using(outline, async () => {
    outline.feed = feed;
    await file.drive(outline, { signal: options?.signal });
    const bytes = outline.call('message', outline.out);
    const size = instance.u32(outline.out);
    const omitted = outline.call('omitted', outline.out);
    return textOf(file, type, bytes, size, omitted, instance.u32(outline.out));
  });
}

/**
 * @param {OpenFile} file
 * @param {number} type
 * @param {number} bytes @param {number} size
 * @param {number} omitted @param {number} count
 * @returns {any}
 */
function textOf(file, type, bytes, size, omitted, count) {
  const json = file.make('cpb_json', (scope) =>
    file.instance.c.cpb_json_new(
      0,
      type,
      bytes,
      size,
      scope.struct(structs.json_options, {
        original_names: 1,
        omitted,
        num_omitted: count,
        limits: file.limitsIn(scope),
      }),
    ),
  );
  try {
    const decoder = new TextDecoder();
    let text = '';
    for (let step; (step = json.call('step')) !== DONE;) {
      if (step === 0xffffffff) throw json.error();
      text += decoder.decode(json.peek('output'), { stream: true });
    }
    return JSON.parse(text);
  } finally {
    json.free();
  }
}

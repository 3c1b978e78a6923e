/** Messages as JSON, whole or without their large values. */
import { moduleFor } from '../modules.js';
import { memo, once } from '../waiting.js';
import { DONE } from '../wasm/engine.js';
import { isOver, turn } from '../wasm/turn.js';
import { openBeside } from './beside-file.js';
import { rangesIn } from './find.js';
import { using } from './read-chunk.js';
import { openSchema } from './schema.js';
import { structs } from './structs.js';

/** @import { Range } from '../types.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { BodyOptions } from './merged-body.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { Schema } from './schema.js' */

/** Bytes that an outline may take before LIMIT. */
const OUTLINE_MOST = 256 * 2 ** 20;

/**
 * Where a file's messages are converted to JSON: in its own instance or, if its module cannot do this,
 * in another instance with the same types.
 * @typedef {{ file: OpenFile, typeOf: (type: number) => number }} Writer
 */

/** @param {OpenFile} file @param {Schema} schema @returns {Promise<Writer>} */
async function openWriter(file, { set, nameOf }) {
  const other = await openBeside(file, await moduleFor('json'));
  const { find } = openSchema(other, set);
  return { file: other, typeOf: (type) => find(nameOf(type) ?? '') };
}

const writerBeside = memo(
  (/** @type {OpenFile} */ file, /** @type {Schema} */ schema) => once(() => openWriter(file, schema)),
  new WeakMap(),
);

/** @param {OpenFile} file @param {Schema} schema @returns {Promise<Writer>} */
async function writerOf(file, schema) {
  if (file.instance.c.cpb_json_new) return { file, typeOf: (type) => type };
  return writerBeside(file, schema)();
}

/**
 * @param {OpenFile} of
 * @param {Schema} schema
 * @param {number} type
 * @param {Uint8Array} bytes of a message
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function jsonOf(of, schema, type, bytes, signal) {
  const { file, typeOf } = await writerOf(of, schema);
  const { instance } = file;
  let pointer = 0;
  const put = () => {
    pointer = instance.alloc(bytes.length);
    instance.view(pointer, bytes.length).set(bytes);
    return pointer;
  };
  const text = { type: typeOf(type), put, size: bytes.length, omitted: 0, count: 0 };
  return textOf(file, text, signal, () => pointer && instance.free(pointer));
}

/**
 * The message that `ranges` are, without values longer than `omit` bytes: in
 * their place is {"@omitted": {"offset", "size"}}. These are not read.
 *
 * @param {OpenFile} of @param {Schema} schema @param {Feed} feed @param {Range[]} ranges @param {number} type
 * @param {number} omit @param {BodyOptions} [options]
 */
export async function outlineOf(of, schema, feed, ranges, type, omit, options) {
  if (ranges.length === 0) return {};
  const { file, typeOf } = await writerOf(of, schema);
  const { instance } = file;
  const outline = file.make('cpb_outline', (scope) => {
    const list = rangesIn(file, scope, ranges);
    // Zero would mean the default.
    const how = { max_value: omit || 1, max_size: OUTLINE_MOST, limits: file.limitsIn(scope) };
    return instance.c.cpb_outline_new(0, typeOf(type), list, ranges.length, scope.struct(structs.outline_options, how));
  });
  return using(outline, async () => {
    outline.feed = feed;
    await file.drive(outline, options);
    const bytes = outline.call('message', outline.out);
    const size = instance.u32(outline.out);
    const omitted = outline.call('omitted', outline.out);
    const count = instance.u32(outline.out);
    return textOf(file, { type: typeOf(type), put: () => bytes, size, omitted, count }, options?.signal);
  });
}

/**
 * A message whose JSON is made: `put` says where it is, `omitted` the `count` values that it lacks.
 * @typedef {{ type: number, put: () => number, size: number, omitted: number, count: number }} Text
 */

/**
 * @param {OpenFile} file @param {Text} text @param {AbortSignal} [signal] @param {() => void} [onFree]
 * @returns {Promise<any>}
 */
async function textOf(file, { type, put, size, omitted, count }, signal, onFree) {
  const json = file.make(
    'cpb_json',
    (scope) => {
      const limits = file.limitsIn(scope);
      const options = scope.struct(structs.json_options, { original_names: 1, omitted, num_omitted: count, limits });
      return file.instance.c.cpb_json_new(0, type, put(), size, options);
    },
    onFree,
  );
  return using(json, async () => {
    const decoder = new TextDecoder();
    let text = '';
    for (let step; (step = json.call('step')) !== DONE;) {
      if (step === 0xffffffff) throw json.error();
      text += decoder.decode(json.peek('output'), { stream: true });
      if (isOver()) await turn();
      signal?.throwIfAborted();
    }
    return JSON.parse(text);
  });
}

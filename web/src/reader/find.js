/** Finding a field of a message. */
import { asOne } from './ranges.js';
import { structs } from './structs.js';

/** @import { Range } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { BodyOptions } from './merged-body.js' */

/**
 * A feed of some ranges of the message, as if these were the whole message.
 *
 * @param {Feed} feed
 * @param {ReturnType<typeof asOne>} whole
 * @returns {Feed}
 */
function partFeed(feed, whole) {
  return {
    size: whole.size,
    get got() {
      return feed.got;
    },
    at(offset) {
      const at = whole.at(offset);
      return at && feed.at(at.offset)?.subarray(0, at.length);
    },
    fetch(offset, length, ahead, options) {
      const at = /** @type {Range} */ (whole.at(offset));
      return feed.fetch(at.offset, Math.min(length, at.length), Math.min(ahead, at.length), options);
    },
    measure: async () => {},
    stop: () => feed.stop(),
  };
}

/**
 * @typedef {object} Found
 * @property {number} parent type of the message that it is in, or 0
 * @property {number} field its declaration, or 0
 * @property {number} message its type, or 0
 * @property {number} number
 * @property {number} wireType
 * @property {boolean} fields whether `ranges` are fields of the parent, with their tags
 * @property {Range[]} ranges
 */

/** @param {OpenFile} file @param {string} path */
export const parsePath = (file, path) =>
  file.make('cpb_path', (scope) => {
    const text = new TextEncoder().encode(path);
    return scope.made((error) => file.instance.c.cpb_path_parse(0, scope.bytes(text), text.length, error));
  });

/**
 * @param {OpenFile} file
 * @param {Feed} feed of the whole message
 * @param {Range[]} within what of it is searched
 * @param {number} type of that
 * @param {string | number} path or a pointer to a cpb_path
 * @param {BodyOptions} [options]
 * @returns {Promise<Found>}
 */
export async function find(file, feed, within, type, path, options) {
  const { instance } = file;
  const parsed = typeof path === 'string' ? parsePath(file, path) : undefined;
  const pointer = parsed ? parsed.pointer : path;
  const search = file.make(
    'cpb_find',
    (scope) => instance.c.cpb_find_new(0, type, pointer, file.limitsIn(scope)),
    () => parsed?.free(),
  );
  try {
    const whole = asOne(within);
    search.feed = partFeed(feed, whole);
    await file.drive(search, options);
    const {
      parent,
      field,
      message,
      number,
      wire_type: wireType,
      fields,
    } = instance.get(structs.found, search.call('found'));
    const ranges = rangesOf(file, search).flatMap((r) => whole.slice(r.offset, r.length));
    return { parent, field, message, number, wireType, fields: fields !== 0, ranges };
  } finally {
    search.free();
  }
}

/** @param {OpenFile} file @param {Engine} search @returns {Range[]} */
function rangesOf({ instance }, search) {
  return instance.scope((scope) => {
    const out = scope.struct(structs.range);
    return Array.from({ length: search.call('num_ranges') }, (_, i) => {
      instance.c.cpb_find_get_range(out, search.pointer, i);
      return instance.get(structs.range, out);
    });
  });
}

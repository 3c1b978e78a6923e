/** Finding a field of a message. */
import { DONE } from '../wasm/engine.js';
import { using } from './read-chunk.js';
import { structs } from './structs.js';

/** @import { Range } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { Scope } from '../wasm/instance.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { BodyOptions } from './merged-body.js' */

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

/** The ranges as an array of cpb_range. @param {OpenFile} file @param {Scope} scope @param {Range[]} ranges */
export function rangesIn({ instance }, scope, ranges) {
  const list = scope.alloc(16 * ranges.length);
  ranges.forEach((range, i) => instance.set(structs.range, list + 16 * i, range));
  return list;
}

/**
 * @param {OpenFile} file
 * @param {Feed} feed of the whole message
 * @param {Range[]} within what of it is searched
 * @param {number} type of that
 * @param {string | number} path or a pointer to a cpb_path
 */
function searchFor(file, feed, within, type, path) {
  const { instance } = file;
  const parsed = typeof path === 'string' ? parsePath(file, path) : undefined;
  const search = file.make(
    'cpb_find',
    (scope) => instance.c.cpb_find_new(0, type, parsed?.pointer ?? path, file.limitsIn(scope)),
    () => parsed?.free(),
  );
  instance.scope((scope) => search.check('within', rangesIn(file, scope, within), within.length));
  search.feed = feed;
  return search;
}

/** @param {OpenFile} file @param {Engine} search */
function foundBy({ instance }, search) {
  const found = instance.get(structs.found, search.call('found'));
  const { parent, field, message, number, wire_type: wireType, fields } = found;
  return { parent, field, message, number, wireType, fields: fields !== 0 };
}

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
  return using(searchFor(file, feed, within, type, path), async (search) => {
    await file.drive(search, options);
    const ranges = Array.from({ length: search.call('num_ranges') }, (_, i) => {
      instance.c.cpb_find_get_range(search.out, search.pointer, i);
      return instance.get(structs.range, search.out);
    });
    return { ...foundBy(file, search), ranges };
  });
}

/**
 * The elements of a repeated field, in their order.
 *
 * @param {OpenFile} file
 * @param {Feed} feed of the whole message
 * @param {Found} whole the field
 * @param {BodyOptions} [options]
 * @returns {AsyncGenerator<Found>}
 */
export async function* elementsOf(file, feed, { parent, number, ranges }, options) {
  const { instance } = file;
  const search = searchFor(file, feed, ranges, parent, String(number));
  try {
    search.call('elements');
    while ((await file.drive(search, { ...options, onStep: () => true })) !== DONE) {
      instance.c.cpb_find_element(search.out, search.pointer);
      yield { ...foundBy(file, search), fields: false, ranges: [instance.get(structs.range, search.out)] };
    }
  } finally {
    search.free();
  }
}

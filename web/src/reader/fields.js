/** A field of a message: its type, its place, and its value. */
import { concat, fromBase64, sumOf } from '../bytes.js';
import { collector } from '../collector.js';
import { CpbError } from '../errors.js';
import { join } from '../middleware/join.js';
import { teller } from '../progress.js';
import { piecesOf } from '../source/pieces.js';
import { streamOf } from '../source/streams.js';
import { elementsOf, find } from './find.js';
import { jsonOf, outlineOf } from './json.js';
import { feedOf } from './message-feed.js';

/** @import { Range, ReadOptions } from '../types.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from './open-file.js' */
/** @import { Found } from './find.js' */
/** @import { FieldType, Schema } from './schema.js' */
/** @import { Body, BodyOptions } from './merged-body.js' */

/**
 * A field of the (merged) message: its place; nothing more is read until it is requested.
 * @typedef {object} Field
 * @property {string} path from the root
 * @property {string} name in the schema, else its number; '' for the message itself
 * @property {string | undefined} type such as 'int64', 'string', 'message'; undefined if the schema lacks it
 * @property {string | undefined} typeName full name of the message or enum type
 * @property {number} number 0 for the message itself
 * @property {boolean} repeated whether it is a repeated field (or a map) as a whole
 * @property {number} size bytes of `ranges`
 * @property {Range[]} ranges of the message (for a .cpb, the merged one): the value; for a repeated field as a whole,
 *   fields with their tags. Empty if the index is in pages and only the pages for this field were read: they do not
 *   give its place in the message
 * @property {(options?: ReadOptions) => Promise<Uint8Array>} bytes of the ranges
 * @property {(options?: ReadOptions) => ReadableStream<Uint8Array>} stream the same as they arrive
 * @property {(options?: JsonOptions) => Promise<any>} json the value in protobuf's JSON mapping, except that fields
 *   have the names in the .proto
 * @property {(options?: ReadOptions) => Promise<any>} value a number, a bigint (64-bit integers), a string, boolean,
 *   Uint8Array; the result of json() for messages; an array of these
 * @property {(options?: ReadOptions) => AsyncIterableIterator<Field>} elements of a repeated
 *   field, in their order; of a map the entries
 * @property {(path: string, options?: ReadOptions) => Promise<Field>} field below this one
 */

/**
 * @typedef {ReadOptions & { omit?: number }} JsonOptions omit: longer values are not read; {"@omitted": {"offset",
 *   "size"}} replaces them, a range of the message (without ranges only the size)
 */

/**
 * A message whose fields can be searched.
 * @typedef {object} Context
 * @property {OpenFile} file
 * @property {Schema} schema
 * @property {Body} body
 * @property {(options?: BodyOptions) => Promise<Feed>} feed
 * @property {boolean} placed whether it is the actual message, and not a part that lacks other fields
 */

/** FieldDescriptorProto.Type, in its order. */
export const kinds = [
  '',
  ...'double float int64 uint64 int32 fixed64 fixed32 bool string group message bytes'.split(' '),
  ...'uint32 enum sfixed32 sfixed64 sint32 sint64'.split(' '),
];

/** @param {FieldType | undefined} declared */
const kindOf = (declared) => declared && kinds[declared.type];

/** The wire type. */
const LEN = 2;

/**
 * A message, whose fields can be found.
 *
 * @param {OpenFile} file @param {Schema} schema @param {Body} body @param {boolean} [placed] @returns {Context}
 */
export function contextOf(file, schema, body, placed = true) {
  /** @type {Promise<Feed> | undefined} */
  let feed;
  return {
    file,
    schema,
    body,
    async feed(options) {
      const size = await body.size(options);
      return (feed ??= feedOf(file, body, size));
    },
    placed,
  };
}

/** Makes the functions that find the fields of a message. @param {Context} context @param {number} type */
export const fieldsOf =
  (context, type) => async (/** @type {string} */ path, /** @type {ReadOptions | undefined} */ options) =>
    fieldIn(context, type, path, path, seeking(path, options));

/**
 * A field of the whole message by its path there, which may differ from the path by which the caller knows it.
 *
 * @param {Context} context @param {number} type @param {string | number} path @param {string} known
 * @param {BodyOptions} how
 */
export async function fieldIn(context, type, path, known, how) {
  const all = { offset: 0, length: await context.body.size(how) };
  return fieldAt(context, type, [all], path, known, how);
}

/** For a search, progress is only the number of bytes received. @param {string} path @param {ReadOptions} [options] */
export const seeking = (path, { signal, onProgress } = {}) => ({ signal, got: teller(onProgress, nameOf(path)) });

/** @param {string} path */
const nameOf = (path) => (path ? `field ${path}` : 'message');

/**
 * @param {Context} context
 * @param {number} type
 * @param {Range[]} within
 * @param {string | number} path relative to that
 * @param {string} whole path from the root
 * @param {BodyOptions} how
 */
async function fieldAt(context, type, within, path, whole, how) {
  const found = await find(context.file, await context.feed(how), within, type, path, how);
  return fieldOf(context, found, whole);
}

/** @param {string} base @param {string} path */
const joinPaths = (base, path) => (base && path && !path.startsWith('[') ? `${base}.${path}` : base + path);

/** @param {Context} context @param {Found} found @param {string} path @returns {Field} */
function fieldOf(context, found, path) {
  const { file, schema, body } = context;
  const { ranges, number } = found;
  const declared = schema.field(found.field);
  const isRoot = number === 0;
  const size = sumOf(ranges);
  /** @param {ReadOptions} [options] */
  const reading = ({ signal, onProgress } = {}) => ({ signal, told: teller(onProgress, nameOf(path), size) });

  /** @type {Field} */
  const field = {
    path,
    name: isRoot ? '' : (declared?.name ?? String(number)),
    type: isRoot ? 'message' : kindOf(declared),
    typeName: schema.nameOf(found.message || declared?.enumeration || 0),
    number,
    repeated: found.fields,
    size,
    ranges: context.placed ? ranges : [],

    bytes: async (options) => bytesOf(context, ranges, reading(options)),

    stream(options) {
      const { signal: outer, told } = reading(options);
      return streamOf((signal) => piecesIn(body, ranges, { signal, told }), outer, 'shared');
    },

    async json(options = {}) {
      file.check();
      const { omit } = options;
      const how = omit === undefined ? reading(options) : seeking(path, options);
      if (found.message && !found.fields) return readJson(context, ranges, found.message, omit, how);
      if (!found.parent) throw new CpbError('USAGE', `${path}: JSON needs the message's type: give options.type`);
      if (found.fields) return first(await readJson(context, ranges, found.parent, omit, how)) ?? [];
      if (found.wireType === LEN && omit !== undefined && size > omit)
        return { '@omitted': context.placed ? { offset: ranges[0]?.offset, size } : { size } };
      const bytes = await field.bytes(options);
      const value = first(await jsonOf(file, schema, found.parent, withHead(found, bytes), options.signal));
      return declared?.repeated && Array.isArray(value) ? value[0] : (value ?? zero(context, declared));
    },

    async value(options) {
      if (field.type === 'bytes' && !found.fields) return field.bytes(options);
      const json = await field.json(options);
      return Array.isArray(json) ? json.map((item) => exact(field.type, item)) : exact(field.type, json);
    },

    elements: (options) => elementsIn(context, found, path, seeking(path, options)),

    async field(below, options) {
      if (found.fields || (declared && !found.message))
        throw new CpbError('USAGE', `${path} is not a message and has no fields`);
      const whole = joinPaths(path, below);
      return fieldAt(context, found.message, ranges, below, whole, seeking(whole, options));
    },
  };
  return field;
}

/** @param {Context} context @param {Range[]} ranges @param {BodyOptions} options */
async function bytesOf({ body }, ranges, options) {
  const [first] = ranges;
  if (first && ranges.length === 1) return body.read(first.offset, first.length, options);
  const all = collector(sumOf(ranges));
  for await (const piece of piecesIn(body, ranges, options)) all.add(piece);
  return all.bytes();
}

/** The largest read for several ranges. */
const WINDOW = 2 ** 20;

/**
 * The contents of the ranges, in pieces: ranges that are close together are read together.
 *
 * @param {Body} body
 * @param {Range[]} ranges in the order of the message
 * @param {BodyOptions} [options]
 * @returns {AsyncGenerator<Uint8Array>}
 */
async function* gathered(body, ranges, options) {
  for (const { offset, length, members } of join(ranges, { gap: body.gap, maxBytes: WINDOW })) {
    if (members.length === 1) {
      yield* piecesOf(body.stream(offset, length, options));
      continue;
    }
    const bytes = await body.read(offset, length, options);
    yield concat(members.map((member) => bytes.subarray(member.offset - offset).subarray(0, member.length)));
  }
}

/** @param {Body} body @param {Range[]} ranges @param {BodyOptions} options */
async function* piecesIn(body, ranges, { signal, told }) {
  for await (const piece of gathered(body, ranges, { signal })) {
    told?.(piece.length);
    yield piece;
  }
}

/**
 * @param {Context} context @param {Range[]} ranges @param {number} type @param {number | undefined} omit
 * @param {BodyOptions} how
 */
async function readJson(context, ranges, type, omit, how) {
  const { file, schema } = context;
  if (omit === undefined) return jsonOf(file, schema, type, await bytesOf(context, ranges, how), how.signal);
  const json = await outlineOf(file, schema, await context.feed(how), ranges, type, omit, how);
  return context.placed ? json : unplaced(json);
}

/** Omitted values, without their places. @param {any} json */
function unplaced(json) {
  if (typeof json !== 'object' || json === null) return json;
  const { '@omitted': omitted } = json;
  if (omitted?.offset !== undefined) delete omitted.offset;
  else Object.values(json).forEach(unplaced);
  return json;
}

/** @param {Context} context @param {Found} found @param {string} path @param {BodyOptions} how */
async function* elementsIn(context, found, path, how) {
  if (!found.fields) throw new CpbError('USAGE', `${path} is not a repeated field`);
  let index = 0;
  for await (const element of elementsOf(context.file, await context.feed(how), found, how))
    yield fieldOf(context, element, `${path}[${index++}]`);
}

/** The one property. @param {any} object */
const first = (object) => Object.values(object)[0];

/** The value of a field that JSON leaves out. @param {Context} context @param {FieldType | undefined} declared */
function zero({ file, schema }, declared) {
  const kind = kindOf(declared) ?? '';
  if (kind === 'string' || kind === 'bytes') return '';
  if (kind === 'bool') return false;
  if (kind === 'enum') return schema.nameOf(file.instance.c.cpb_enum_find_number(declared?.enumeration ?? 0, 0)) ?? 0;
  return kind.endsWith('64') ? '0' : 0;
}

/** @param {string | undefined} kind @param {any} json */
function exact(kind = '', json) {
  if (typeof json !== 'string') return json;
  if (kind.endsWith('64')) return BigInt(json);
  if (kind === 'double' || kind === 'float') return Number(json);
  return kind === 'bytes' ? fromBase64(json) : json;
}

/** The value as a message of its parent's type with this one field.
 * @param {Found} found @param {Uint8Array} value */
function withHead({ number, wireType }, value) {
  const length = wireType === LEN ? varint(value.length) : [];
  return concat([Uint8Array.of(...varint(number * 8 + wireType), ...length), value]);
}

/** @param {number} n */
function varint(n) {
  const bytes = [];
  for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) | 128);
  return [...bytes, n];
}

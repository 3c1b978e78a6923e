/** Recognizes the kind of model in a file by its beginning and end (cpb/model.h), and other kinds of files. */
import { CpbError } from '../errors.js';
import { HEAD, look, withEnds } from './ends.js';
import { isDamage, kindsOf } from './model.js';

/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { ModelKind } from './asked.js' */
/** @import { Ends } from './ends.js' */

/** The largest number of bytes examined of the end; and how many of the beginning are enough for most files. */
const TAIL = 65536;
const ENOUGH = 256;

/** @param {unknown} error */
function unlessDamage(error) {
  if (!isDamage(error)) throw error;
}

/**
 * Bytes of a message from `offset` on, which may come from several chunks; fewer if these are damaged.
 *
 * @param {Feed} feed @param {number} offset @param {{ most: number, enough: number, signal?: AbortSignal }} how
 */
async function bytesOf(feed, offset, { most, enough, signal }) {
  const bytes = new Uint8Array(most);
  let size = 0;
  while (size < Math.min(enough, bytes.length)) {
    const left = bytes.length - size;
    if (!feed.at(offset + size)) await feed.fetch(offset + size, left, left, { signal }).catch(unlessDamage);
    const more = feed.at(offset + size)?.subarray(0, left);
    if (!more?.length) break;
    bytes.set(more, size);
    size += more.length;
  }
  return bytes.subarray(0, size);
}

/** @param {Instance} instance @param {Ends} ends @returns {ModelKind | undefined} */
const kindOf = (instance, ends) =>
  kindsOf(instance)[withEnds(instance, ends, (pointer) => instance.c.cpb_model_guess(pointer)) - 1];

/** The beginning of a message in protobuf's text format: a field, after comments. @param {Uint8Array} begin */
const mayBeText = (begin) => /^(\s|#.*\n)*[a-z_]\w*\s*[:{<]/i.test(new TextDecoder().decode(begin));

/**
 * The kind of a model in protobuf's text format.
 *
 * @param {Instance} instance @param {Uint8Array} begin @returns {ModelKind | undefined}
 */
const textKindOf = (instance, begin) =>
  kindsOf(instance)[
    instance.scope((scope) => instance.c.cpb_model_guess_text(0, scope.bytes(begin), begin.length, 0)) - 1
  ];

/**
 * The kind of a message; its end is read only if its beginning is not enough.
 *
 * @param {Instance} instance
 * @param {Feed} feed
 * @param {() => Promise<OpenFile>} whole opens the file where texts can be read
 * @param {{ name: string, size: number, signal?: AbortSignal }} about name of the file, size of the message
 * @returns {Promise<{ kind: ModelKind, isText?: boolean }>} isText: it is in protobuf's text format
 */
export async function guess(instance, feed, whole, { name, size, signal }) {
  const begin = await bytesOf(feed, 0, { most: Math.min(HEAD, size), enough: ENOUGH, signal });
  const found = kindOf(instance, { name, size, begin });
  if (found) return { kind: found };
  /** @type {Ends} */
  const ends = { name, size, begin: await bytesOf(feed, 0, { most: Math.min(HEAD, size), enough: HEAD, signal }) };
  const ofText = mayBeText(ends.begin) && textKindOf((await whole()).instance, ends.begin);
  if (ofText) return { kind: ofText, isText: true };
  const tail = Math.min(TAIL, size);
  if (ends.begin.length === HEAD) ends.end = await bytesOf(feed, size - tail, { most: tail, enough: tail, signal });
  const kind = kindOf(instance, ends);
  if (!kind) throw new CpbError('FORMAT', look(instance, ends).text);
  return { kind };
}

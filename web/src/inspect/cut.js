/** Cuts a model down to some of its objects (docs/cutting.md), as files to be written. */
import { sumOf } from '../bytes.js';
import { room } from '../collector.js';
import { CpbError } from '../errors.js';
import { piecesOf } from '../source/pieces.js';
import { at } from '../wasm/instance.js';
import { outputOf } from '../writer/output.js';
import { structs } from './structs.js';

/** @import { Source } from '../types.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Body } from '../reader/merged-body.js' */
/** @import { Output } from '../writer/output.js' */
/** @import { CutAnswer } from './answers.js' */

/**
 * A model that was cut down. Its files consist of ranges of the original model, which must stay open until they are
 * written.
 * @typedef {object} Cut
 * @property {CutAnswer} report the objects that stay, and why
 * @property {Output} savedModel the new saved_model.pb
 * @property {Output | undefined} kerasMetadata the keras_metadata.pb next to it, if the model was given one
 * @property {Source} source the new saved_model.pb by ranges: `split` makes a .cpb file of it, and `inspect` can
 *   examine it first
 */

/**
 * A piece of a new file: new bytes, or a range of the message.
 * @typedef {{ bytes?: Uint8Array, offset: number, length: number }} CutPiece
 */

/** Numbers in cpb_cut_file. */
export const SAVED_MODEL = 0,
  KERAS_METADATA = 1;

/**
 * The plan of a file, which the engine keeps until the next question.
 *
 * @param {Instance} instance
 * @param {Engine} engine a cpb_model
 * @param {number} file
 * @returns {CutPiece[]}
 */
export const planOf = (instance, engine, file) =>
  instance.scope((scope) => {
    const out = scope.struct(structs.model_piece);
    const get = at(instance.c, 'cpb_model_get_piece');
    return Array.from({ length: engine.call('num_pieces', file) }, (_, i) => {
      get(out, engine.pointer, file, i);
      const { offset, length, bytes } = instance.get(structs.model_piece, out);
      return bytes ? { bytes: instance.copy(bytes, length), offset, length } : { offset, length };
    });
  });

/** Small pieces are joined up to this size; a larger range is a stream of its own. */
const TOGETHER = 2 ** 20;
/** Ranges this close together are read at once. */
const NEAR = 64 * 1024;

/** Groups small pieces, and leaves large ones separate. @param {CutPiece[]} pieces @returns {Generator<CutPiece[]>} */
function* groupsOf(pieces) {
  /** @type {CutPiece[]} */
  let group = [];
  let length = 0;
  for (const piece of pieces) {
    if (group.length > 0 && length + piece.length > TOGETHER) {
      yield group;
      [group, length] = [[], 0];
    }
    group.push(piece);
    length += piece.length;
  }
  if (group.length > 0) yield group;
}

/** For each range, how much is read with it at once: the following ranges that are close. @param {CutPiece[]} pieces */
function readsOf(pieces) {
  /** @type {{ offset: number, end: number, ranges: { at: number, piece: CutPiece }[] }[]} */
  const reads = [];
  let place = 0;
  for (const piece of pieces) {
    const { offset, length, bytes } = piece;
    const last = reads.at(-1);
    if (!bytes) {
      const near = last && offset >= last.end && offset - last.end <= NEAR;
      const read = near ? last : { offset, end: 0, ranges: [] };
      if (!near) reads.push(read);
      read.end = offset + length;
      read.ranges.push({ at: place, piece });
    }
    place += length;
  }
  return reads;
}

/**
 * @param {Body} body the message that the pieces are of
 * @param {CutPiece[]} pieces
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function together(body, pieces, signal) {
  const out = room(sumOf(pieces));
  let place = 0;
  for (const { bytes, length } of pieces) {
    if (bytes) out.set(bytes, place);
    place += length;
  }
  for (const { offset, end, ranges } of readsOf(pieces)) {
    const bytes = await body.read(offset, end - offset, { signal });
    if (bytes.length < end - offset) throw ended(offset + bytes.length);
    for (const { at, piece } of ranges) {
      const from = piece.offset - offset;
      out.set(bytes.subarray(from, from + piece.length), at);
    }
  }
  return out;
}

/** @param {number} offset */
const ended = (offset) => new CpbError('TRUNCATED', 'the message ends too early', { offset });

/** @param {Body} body @param {CutPiece} range @param {AbortSignal} [signal] */
async function* streamed(body, { offset, length }, signal) {
  const end = offset + length;
  for await (const bytes of piecesOf(body.stream(offset, length, { signal }))) {
    offset += bytes.length;
    yield /** @type {Uint8Array<ArrayBuffer>} */ (bytes);
  }
  if (offset < end) throw ended(offset);
}

/** @param {Body} body @param {CutPiece[]} pieces @returns {Output} */
export const cutOutput = (body, pieces) =>
  outputOf(async function* ({ signal, onProgress }) {
    const total = sumOf(pieces);
    let size = 0;
    for (const group of groupsOf(pieces)) {
      const [first] = group;
      const large = first && !first.bytes && first.length > TOGETHER;
      const parts = large ? streamed(body, first, signal) : [await together(body, group, signal)];
      for await (const bytes of parts) {
        const offset = size;
        size += bytes.length;
        yield { offset, bytes };
        onProgress?.({ done: size, total });
      }
    }
    return { chunks: 0, size, isSplit: false };
  });

/**
 * Bytes [offset, end) of a file.
 *
 * @param {CutPiece[]} pieces @param {number} offset @param {number} end @returns {CutPiece[]}
 */
function within(pieces, offset, end) {
  /** @type {CutPiece[]} */
  const found = [];
  let begin = 0;
  for (const piece of pieces) {
    const from = Math.max(offset - begin, 0);
    const to = Math.min(end - begin, piece.length);
    if (from < to)
      found.push({
        ...(piece.bytes && { bytes: piece.bytes.subarray(from, to) }),
        offset: piece.offset + from,
        length: to - from,
      });
    begin += piece.length;
  }
  return found;
}

/** @param {Body} body @param {CutPiece[]} pieces @returns {Source} */
export const cutSource = (body, pieces) => ({
  name: 'saved_model.pb',
  stat: async () => ({ size: sumOf(pieces) }),
  read: (offset, length, { signal } = {}) => together(body, within(pieces, offset, offset + length), signal),
});

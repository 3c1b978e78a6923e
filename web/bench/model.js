/** A SavedModel of about 500 MB: a real one whose graph has all its nodes three times. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

const TIMES = 3;
const META_GRAPHS = 2; // of SavedModel
const GRAPH_DEF = 2; // of MetaGraphDef
const LENGTH_DELIMITED = 2;

/** @param {Buffer} bytes @param {number} at @returns {[value: number, end: number]} */
function readVarint(bytes, at) {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = /** @type {number} */ (bytes[at++]);
    value += (byte & 127) * scale;
    if (byte < 128) return [value, at];
  }
}

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** The fields of a message, of which all are varints or have a length. @param {Buffer} message */
function* fieldsOf(message) {
  for (let at = 0; at < message.length;) {
    const begin = at;
    const [tag, head] = readVarint(message, at);
    const [value, next] = readVarint(message, head);
    at = tag % 8 === LENGTH_DELIMITED ? next + value : next;
    yield { number: tag >> 3, bytes: message.subarray(begin, at), content: message.subarray(next, at) };
  }
}

/** @param {Uint8Array[]} pieces */
export const sizeOf = (pieces) => pieces.reduce((sum, { length }) => sum + length, 0);

/** @param {number} number @param {Uint8Array[]} pieces @returns {Uint8Array[]} */
export const field = (number, pieces) => [
  Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(sizeOf(pieces))]),
  ...pieces,
];

/** @param {string} path @param {Uint8Array[]} pieces */
export function write(path, pieces) {
  const file = openSync(path, 'w');
  for (const piece of pieces) for (let at = 0; at < piece.length;) at += writeSync(file, piece, at);
  closeSync(file);
}

/**
 * @param {string} from a SavedModel
 * @param {string} to
 */
export function enlarge(from, to) {
  /** @type {(message: Buffer, number: number, change: (content: Buffer) => Uint8Array[]) => Uint8Array[]} */
  const changed = (message, number, change) =>
    [...fieldsOf(message)].flatMap((each) =>
      each.number === number ? field(number, change(each.content)) : [each.bytes],
    );
  const pieces = changed(readFileSync(from), META_GRAPHS, (metaGraph) =>
    changed(metaGraph, GRAPH_DEF, (graph) => Array(TIMES).fill(graph)),
  );
  write(to, pieces);
}

/** Models of a gigabyte that exist only where somebody looks (`sparse` in files.js). */
import { crc32, inflateRawSync } from 'node:zlib';
import { field, head, sparse } from './files.js';
import { libcpb } from './libcpb.js';
import { node, tensor, value } from './onnx.js';
import { message } from './protobuf.js';

const COUNT = 250;
const SIZE = 4 * 2 ** 20;

/** @typedef {{ offset: number, bytes: Uint8Array }} Piece */

/** A file from front to back. */
function builder() {
  /** @type {Piece[]} */
  const pieces = [];
  let size = 0;
  return {
    pieces,
    get size() {
      return size;
    },
    /** @param {Uint8Array | number[]} bytes @param {number} [zeros] after them */
    put(bytes, zeros = 0) {
      pieces.push({ offset: size, bytes: Uint8Array.from(bytes) });
      size += bytes.length + zeros;
    },
  };
}

/* --- SavedModels -------------------------------------------------------------- */

const META_GRAPHS = 2;
const GRAPH_DEF = 2;
const OBJECT_GRAPH_DEF = 7;
const MANY_OBJECTS = 500_000;

/** Fields of a message, with their tags. @param {Uint8Array} message */
function* fieldsOf(message) {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1, byte = 128; byte > 127; scale *= 128) {
      byte = Number(message[at++]);
      value += (byte % 128) * scale;
    }
    return value;
  };
  while (at < message.length) {
    const begin = at;
    const tag = varint();
    const length = tag % 8 === 2 ? varint() : 0;
    if (tag % 8 === 0) varint();
    const value = message.subarray(at, (at += length));
    yield { number: tag >> 3, value, whole: message.subarray(begin, at) };
  }
}

/** Nodes that are constants, without the values.
 * @param {number} i @param {number} size @param {number} [number] of the field */
function constantHead(i, size, number = 1) {
  const inner = [...field(1, 1), ...field(2, field(2, field(1, size / 4))), ...head(4, size)];
  const tensor = [...head(8, inner.length + size), ...inner];
  const entry = [...field(1, 'value'), ...head(2, tensor.length + size), ...tensor];
  const before = [...field(1, `constant_${i}`), ...field(2, 'Const')];
  const node = [...before, ...head(5, entry.length + size), ...entry];
  return [...head(number, node.length + size), ...node];
}

/**
 * A SavedModel with constants added to its graph, and objects up to so many bytes.
 *
 * @param {Uint8Array} saved
 * @param {{ bytes: number[], zeros: number }[]} nodes
 * @param {number} most
 */
function withNodes(saved, nodes, most) {
  const [version, meta] = [...fieldsOf(saved)];
  const fields = [...fieldsOf(meta?.value ?? saved)];
  const graph = fields.find(({ number }) => number === GRAPH_DEF)?.value ?? new Uint8Array();
  const added = nodes.reduce((sum, { bytes, zeros }) => sum + bytes.length + zeros, 0);
  const graphHead = head(GRAPH_DEF, graph.length + added);
  const objects = fields.filter(({ number }) => number === OBJECT_GRAPH_DEF);
  const length = objects.reduce((sum, { whole }) => sum + whole.length, 0);
  const others = fields.filter(({ number }) => number !== GRAPH_DEF);
  for (let i = 1; i < most / length; i++) others.push(...objects); // Parts of a message add up.
  const size = others.reduce((sum, { whole }) => sum + whole.length, graphHead.length + graph.length + added);
  const file = builder();
  file.put(version?.whole ?? []);
  file.put(head(META_GRAPHS, size));
  for (const { whole } of others.filter(({ number }) => number < GRAPH_DEF)) file.put(whole);
  file.put(graphHead);
  file.put(graph);
  for (const { bytes, zeros } of nodes) file.put(bytes, zeros);
  for (const { whole } of others.filter(({ number }) => number > GRAPH_DEF)) file.put(whole);
  return file;
}

/**
 * As one message.
 *
 * @param {Uint8Array} saved a model that it is made from
 * @param {number} [objects] bytes of them, if that has fewer
 */
export function largeSavedModel(saved, objects = MANY_OBJECTS) {
  const nodes = Array.from({ length: COUNT }, (_, i) => ({ bytes: constantHead(i, SIZE), zeros: SIZE }));
  const { size, pieces } = withNodes(saved, nodes, objects);
  return sparse(size, pieces);
}

/**
 * A SavedModel whose one function, `root.f`, has large constants; of their zeros some are not.
 *
 * @param {number} count
 * @param {number} size of each
 */
export function largeFunction(count, size) {
  const nodes = Array.from({ length: count }, (_, i) => constantHead(i, size, 3));
  const signature = field(1, field(1, 'f'));
  const body = nodes.reduce((sum, { length }) => sum + length + size, signature.length);
  const heads = [head(1, body)];
  for (const number of [2, GRAPH_DEF])
    heads.unshift(
      head(
        number,
        heads.reduce((sum, { length }) => sum + length, body),
      ),
    );
  const info = field(1, field(4, 'serve'));
  const objects = field(OBJECT_GRAPH_DEF, [
    ...field(1, field(1, [...field(1, 1), ...field(2, 'f')])),
    ...field(1, field(6, field(1, 'f'))),
    ...field(2, [...field(1, 'f'), ...field(2, [])]),
  ]);
  const meta = [info, ...heads, objects].reduce((sum, { length }) => sum + length, body);
  const file = builder();
  for (const part of [field(1, 1), head(META_GRAPHS, meta), info, ...heads, signature]) file.put(part);
  for (const node of nodes) file.put(node, size);
  file.put(objects);
  return sparse(file.size, file.pieces);
}

/**
 * A frozen graph: an input, then constants, each with a node that takes it.
 *
 * @param {number} count
 * @param {number} size of each
 */
export function largeFrozen(count, size) {
  const file = builder();
  const type = field(5, [...field(1, 'dtype'), ...field(2, field(6, 1))]);
  const sizes = field(5, [...field(1, 'shape'), ...field(2, field(7, field(2, field(1, 7))))]);
  file.put(field(1, [...field(1, 'x'), ...field(2, 'Placeholder'), ...type, ...sizes]));
  for (let i = 0; i < count; i++) {
    file.put(constantHead(i, size), size);
    const inputs = [...field(3, i ? `add_${i - 1}` : 'x'), ...field(3, `constant_${i}`)];
    file.put(field(1, [...field(1, `add_${i}`), ...field(2, 'AddV2'), ...inputs]));
  }
  return sparse(file.size, file.pieces);
}

/**
 * Split from that, in the remote layout and not compressed, so that it is as large.
 *
 * @param {Uint8Array} saved
 */
export async function largeSavedModelChunks(saved) {
  /** @type {Piece[]} */
  const pieces = [];
  let size = 0;
  const { source } = largeSavedModel(saved);
  await libcpb.split({ ...source, remote: false }, { codec: { name: 'none' } }).to({
    /** @param {number} offset @param {Uint8Array} bytes */
    write(offset, bytes) {
      if (Buffer.from(bytes).some((byte) => byte !== 0)) pieces.push({ offset, bytes });
      size = Math.max(size, offset + bytes.length);
    },
  });
  return sparse(size, pieces);
}

/* --- ONNX ---------------------------------------------------------------------- */

/**
 * An ONNX model whose initializers, `weight_0` and so on, have no two sizes alike.
 *
 * @param {number} count
 * @param {number} size of each, in bytes, and some more
 */
export function largeOnnx(count, size) {
  const file = builder();
  const names = Array.from({ length: count }, (_, i) => `weight_${i}`);
  const nodes = names.map((name, i) =>
    field(1, message(node('Add', [i ? `y_${i - 1}` : 'x', name], [`y_${i}`], { name: `block/add_${i}` }))),
  );
  const tensors = names.map((name, i) => {
    const elements = size / 4 + ((i * 97) % 300) * 64;
    const inner = [
      ...message(tensor(name, 'float32', [elements], new Uint8Array()).slice(0, -1)),
      ...head(9, 4 * elements),
    ];
    return { bytes: [...head(5, inner.length + 4 * elements), ...inner], zeros: 4 * elements };
  });
  const ends = [
    ...field(11, message(value('x', 'float32', [1]))),
    ...field(12, message(value(`y_${count - 1}`, 'float32', [1]))),
  ];
  const body = [...nodes, ends].reduce((sum, { length }) => sum + length, 0);
  const graph = tensors.reduce((sum, { bytes, zeros }) => sum + bytes.length + zeros, body);
  file.put([...field(1, 8), ...head(7, graph)]);
  for (const one of nodes) file.put(one);
  for (const { bytes, zeros } of tensors) file.put(bytes, zeros);
  file.put(ends);
  file.put(
    field(
      8,
      message([
        [1, ''],
        [2, 17],
      ]),
    ),
  );
  return sparse(file.size, file.pieces);
}

/* --- SameDiff zips ------------------------------------------------------------ */

/** Little-endian. @param {number} size @param {number} value */
const little = (size, value) => Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** i) % 256);

/** What stands before the values of a FlatArray of doubles. @param {number} count */
function flatArrayHead(count) {
  const info = [1, count, 1, 16384, 1, 'c'.charCodeAt(0)];
  const vector = [...little(4, info.length), ...info.flatMap((n) => little(8, n))];
  const table = [
    ...little(4, 16),
    ...[12, 16, 8, 12, 6, 7].flatMap((n) => little(2, n)),
    ...little(4, 12),
    ...little(2, 0),
    6,
    1,
    ...little(4, 36 - 24),
    ...little(4, 36 + vector.length - 28),
    ...little(4, 0),
  ];
  return [...table, ...vector, ...little(4, 8 * count)];
}

/** Files of a small zip. @param {Buffer} zip @returns {Map<string, Uint8Array>} */
function unzip(zip) {
  const files = new Map();
  const end = zip.lastIndexOf('PK\x05\x06');
  let at = zip.readUInt32LE(end + 16);
  for (let i = zip.readUInt16LE(end + 10); i > 0; i--) {
    const [name, extra, comment] = [28, 30, 32].map((o) => zip.readUInt16LE(at + o));
    const local = zip.readUInt32LE(at + 42);
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(begin, begin + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) ? inflateRawSync(packed) : packed;
    files.set(zip.toString('utf8', at + 46, at + 46 + Number(name)), content);
    at += 46 + Number(name) + Number(extra) + Number(comment);
  }
  return files;
}

/**
 * minimal.zip with a parameter `weights` of `count` doubles, and others that make it a
 * gigabyte. The graph is before them or, as a writer has it that streams, after them.
 *
 * @param {Buffer} minimal
 * @param {number} count
 * @param {'graph first' | 'graph last'} order
 */
export function largeSameDiff(minimal, count, order) {
  const parts = unzip(minimal);
  const file = builder();
  /** @type {number[]} */
  const directory = [];
  let entries = 0;
  /** @param {string} name @param {Uint8Array | number[]} begin @param {number} [zeros] */
  const add = (name, begin, zeros = 0) => {
    const path = [...new TextEncoder().encode(name)];
    const checked = zeros <= 8 * count ? crc32(new Uint8Array(zeros), crc32(Uint8Array.from(begin))) : 0;
    const size = begin.length + zeros;
    const middle = [
      ...[20, 0, 0, 0, 0].flatMap((n) => little(2, n)),
      ...little(4, checked),
      ...little(4, size),
      ...little(4, size),
      ...little(2, path.length),
      0,
      0,
    ];
    const central = [0x50, 0x4b, 1, 2, 20, 0, ...middle, ...Array(10).fill(0)];
    directory.push(...central, ...little(4, file.size), ...path);
    file.put([0x50, 0x4b, 3, 4, ...middle, ...path, ...begin], zeros);
    entries++;
  };
  const names = ['weights', 'shared', ...Array.from({ length: COUNT - 2 }, (_, i) => `other${i}`)];
  const text = (/** @type {string} */ said) => new TextEncoder().encode(said);
  const arrays = () =>
    names.forEach((_, i) => {
      const n = i ? SIZE / 8 + 1 : count;
      add(`FP32/params/${i}.fb`, flatArrayHead(n), 8 * n);
    });
  if (order === 'graph last') arrays();
  add('tags.txt', text('FP32\n'));
  add('FP32/graph.fb', parts.get('FP32/graph.fb') ?? []);
  add('FP32/params.txt', text(names.map((name, i) => `${name} ${i}\n`).join('')));
  add('FP32/updater.txt', []);
  if (order === 'graph first') arrays();
  const begin = file.size;
  file.put(directory);
  file.put([
    0x50,
    0x4b,
    5,
    6,
    0,
    0,
    0,
    0,
    ...little(2, entries),
    ...little(2, entries),
    ...little(4, directory.length),
    ...little(4, begin),
    0,
    0,
  ]);
  return sparse(file.size, file.pieces);
}

/** Files that exist only where somebody looks: for tests of what is read of large ones. */
import { createInstance } from '../../src/wasm/instance.js';
import { drive, engineOf, OUTPUT } from '../../src/wasm/engine.js';
import { layOutAll } from '../../src/wasm/structs.js';
import { moduleFor } from '../../src/modules.js';
import { pieceOf } from '../../src/writer/pack.js';
import { structs } from '../../src/writer/riegeli.js';

/** @import { Cost, Source } from '../../src/types.js' */

/**
 * @typedef {object} Sparse
 * @property {Source} source remote: with the default middleware around it
 * @property {Cost} cost so far
 * @property {string[]} log such as '10+5', 'tail 64'
 * @property {() => Cost} since the cost since the last call
 */

/**
 * @param {number} size
 * @param {{ offset: number, bytes: Uint8Array }[]} pieces the rest is zeros
 * @returns {Sparse}
 */
export function sparse(size, pieces) {
  const sorted = [...pieces].sort((a, b) => a.offset - b.offset);
  /** @type {Cost} */
  const cost = { requests: 0, bytes: 0 };
  let before = { ...cost };
  /** @type {string[]} */
  const log = [];

  /** @param {number} offset @param {number} length @param {string} [as] */
  function take(offset, length, as = `${offset}+${length}`) {
    const end = Math.min(size, offset + length);
    const out = new Uint8Array(Math.max(0, end - offset));
    let i = lowerBound(sorted, offset);
    for (let piece; (piece = sorted[i]) && piece.offset < end; i++) {
      const from = Math.max(offset, piece.offset);
      out.set(piece.bytes.subarray(from - piece.offset, end - piece.offset), from - offset);
    }
    cost.requests++;
    cost.bytes += out.length;
    log.push(as);
    return out;
  }

  return {
    cost,
    log,
    since() {
      const now = { ...cost };
      const cost0 = { requests: now.requests - before.requests, bytes: now.bytes - before.bytes };
      before = now;
      return cost0;
    },
    source: {
      remote: true,
      read: async (offset, length) => take(offset, length),
      stat: async () => ({ size, etag: '"sparse"' }),
      tail: async (length) => {
        const n = Math.min(size, length);
        return { size, etag: '"sparse"', bytes: take(size - n, n, `tail ${n}`) };
      },
      stream: (offset, length) => {
        cost.requests++;
        log.push(`stream ${offset}+${length}`);
        let at = offset;
        const end = Math.min(size, offset + length);
        return new ReadableStream(
          {
            pull(controller) {
              if (at >= end) return controller.close();
              const bytes = take(at, Math.min(65536, end - at));
              cost.requests--;
              log.pop();
              at += bytes.length;
              controller.enqueue(bytes);
            },
          },
          { highWaterMark: 0 },
        );
      },
    },
  };
}

/**
 * The first that ends behind `offset`.
 * @param {{ offset: number, bytes: Uint8Array }[]} pieces
 * @param {number} offset
 */
function lowerBound(pieces, offset) {
  let low = 0,
    high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { offset: begin, bytes } = /** @type {any} */ (pieces[middle]);
    if (begin + bytes.length <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* --- Messages ----------------------------------------------------------------- */

/** @param {number} n @returns {number[]} */
export function varint(n) {
  const out = [];
  for (; n > 127; n = Math.floor(n / 128)) out.push((n % 128) + 128);
  return [...out, n];
}

/**
 * A field of a message.
 * @param {number} number
 * @param {number | string | number[] | Uint8Array} value
 */
export function field(number, value) {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)];
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes];
}

/** Tag and length of a field of so many bytes. @param {number} number @param {number} length */
export const head = (number, length) => [...varint(number * 8 + 2), ...varint(length)];

/**
 * A GraphDef of constants of these sizes.
 *
 * @param {number[]} sizes
 */
export function graphOf(sizes) {
  /** @type {{ offset: number, bytes: Uint8Array }[]} */
  const pieces = [];
  /** @type {number[]} */
  const ends = [];
  let at = 0;
  sizes.forEach((size, i) => {
    const wrap = (/** @type {number} */ n, /** @type {number[]} */ inner) => [
      ...head(n, inner.length + size),
      ...inner,
    ];
    const tensor = [...field(1, 1), ...field(2, field(2, field(1, size / 4))), ...head(4, size)];
    const entry = wrap(5, [...field(1, 'value'), ...wrap(2, wrap(8, tensor))]);
    const node = wrap(1, [...field(1, `block_${i}/w`), ...field(2, 'Const'), ...entry]);
    pieces.push({ offset: at, bytes: Uint8Array.from(node) });
    at += node.length + size;
    ends.push(at);
  });
  return { ...sparse(at, pieces), size: at, ends };
}

/* --- Riegeli files ------------------------------------------------------------ */

const SIGNATURE_END = 64;

/** Of include/cpb/records.h. */
const { record_writer_options } = layOutAll({
  codec_options: 'codec:i32 level:i32 window_log:i32',
  record_writer_options:
    'struct_size:size codec:codec_options chunk_size' +
    ' record_per_chunk:i32 seekable:i32 buffer:size append_at initial_padding' +
    ' final_padding metadata:ptr metadata_size:size limits:ptr',
});

/**
 * Bytes to append to a Riegeli file: one uncompressed Riegeli chunk for each record.
 *
 * @param {number} at the size that the file has; 0: it is new
 * @param {Uint8Array[]} records
 * @param {object} [codec] codec_options
 * @returns {Promise<{ offset: number, bytes: Uint8Array }[]>}
 */
export async function riegeli(at, records, codec = { codec: 1 }) {
  const instance = await createInstance(await moduleFor('full'));
  const writer = engineOf(
    instance,
    'cpb_record_writer',
    instance.scope((scope) =>
      instance.c.cpb_record_writer_new(
        0,
        scope.struct(record_writer_options, { codec, record_per_chunk: 1, append_at: at }),
      ),
    ),
  );
  /** @type {{ offset: number, bytes: Uint8Array }[]} */
  const pieces = [];
  const drain = () => {
    while (writer.call('step') === OUTPUT) pieces.push(pieceOf(instance, writer));
  };
  for (const record of records) {
    const data = instance.alloc(record.length);
    instance.view(data, record.length).set(record);
    writer.check('begin_record', BigInt(record.length));
    drain();
    writer.check('write', data, record.length);
    drain();
    instance.free(data);
  }
  writer.check('finish');
  drain();
  writer.free();
  return pieces;
}

/** Where the Riegeli chunk ends that begins at `begin` and has `size` bytes after its header.
 * @param {number} begin @param {number} size */
export function endOf(begin, size) {
  let at = begin;
  for (let left = 40 + size; left > 0;) {
    if (at % 65536 === 0) at += 24;
    const step = Math.min(left, 65536 - (at % 65536));
    at += step;
    left -= step;
  }
  return at;
}

/**
 * A .cpb file of `count` chunks of `size` bytes in the remote layout: chunk 0 is a
 * SavedModel, the others are its tensors. Only the chunks `real` have their bytes.
 *
 * @param {number} count
 * @param {number} size
 * @param {Map<number, Uint8Array>} real
 */
export async function largeCpb(count, size, real) {
  const positions = [SIGNATURE_END];
  const stored = 1 + 1 + varint(size).length + size;
  for (let i = 1; i <= count; i++) positions.push(endOf(Number(positions[i - 1]), stored));
  const pieces = [...(await riegeli(0, []))];
  for (const [i, bytes] of real) {
    if (real.has(i - 1)) continue;
    const run = [bytes];
    for (let next; (next = real.get(i + run.length));) run.push(next);
    pieces.push(...(await riegeli(Number(positions[i]), run)));
  }
  const chunks = positions
    .slice(0, count)
    .flatMap((offset, i) => field(2, [...field(1, i ? 2 : 1), ...field(2, size), ...field(3, offset)]));
  const steps = (/** @type {number[]} */ ...numbers) => numbers.flatMap((n) => field(1, field(1, n)));
  const children = Array.from({ length: count - 1 }, (_, i) =>
    field(2, [
      ...steps(2),
      ...field(1, field(3, 0)),
      ...steps(2, 1),
      ...field(1, field(3, i)),
      ...field(3, field(1, i + 1)),
    ]),
  ).flat();
  const metadata = Uint8Array.from([...field(1, field(1, 1)), ...chunks, ...field(3, [...field(1, 0), ...children])]);
  const end = Number(positions[count]);
  const index = await riegeli(end, [metadata]);
  const file = sparse(
    index.reduce((sum, { bytes }) => sum + bytes.length, end),
    [...pieces, ...index],
  );
  return { ...file, positions, metadata };
}

/* --- A plain message ------------------------------------------------------------ */

/**
 * A SavedModel whose size is in the constants of its nodes.
 *
 * @param {number} nodes
 * @param {number} size bytes of each constant
 * @param {(node: number) => Uint8Array | undefined} [content] of the constant; else it is zeros
 */
export function largeModel(nodes, size, content = () => undefined) {
  /** @type {{ offset: number, bytes: Uint8Array }[]} */
  const pieces = [];
  const name = (/** @type {number} */ i) => [...field(1, `layer_${i}/kernel`), ...field(2, 'Const')];
  const nodeHead = (/** @type {number} */ i) => {
    const tensor = [...field(1, 1), ...field(2, field(2, field(1, size / 4))), ...head(4, size)];
    const wrap = (/** @type {number} */ n, /** @type {number[]} */ inner, /** @type {number} */ rest) => [
      ...head(n, inner.length + rest),
      ...inner,
    ];
    const value = wrap(8, tensor, size);
    const entry = [...field(1, 'value'), ...wrap(2, value, size)];
    return wrap(1, [...name(i), ...wrap(5, entry, size)], size);
  };
  const heads = Array.from({ length: nodes }, (_, i) => nodeHead(i));
  const graph = heads.reduce((sum, h) => sum + h.length + size, 0);
  const meta = head(2, graph);
  const begin = [...field(1, 1), ...head(2, meta.length + graph), ...meta];
  let at = 0;
  const put = (/** @type {number[]} */ bytes) => {
    pieces.push({ offset: at, bytes: Uint8Array.from(bytes) });
    at += bytes.length;
  };
  put(begin);
  heads.forEach((h, i) => {
    put(h);
    const bytes = content(i);
    if (bytes) pieces.push({ offset: at, bytes });
    at += size;
  });
  return sparse(at, pieces);
}

/** Bytes that do not compress. @param {number} length @param {number} seed */
export function noise(length, seed) {
  let state = (seed * 2654435761) | 1;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}

/**
 * A message made into a .cpb file of the remote layout.
 *
 * @param {Uint8Array} message
 * @param {object} [options] split_options
 */
export async function split(message, options = {}) {
  const instance = await createInstance(await moduleFor('full'));
  const engine = engineOf(
    instance,
    'cpb_split',
    instance.scope((scope) => instance.c.cpb_split_new(0, scope.struct(structs.split_options, options))),
  );
  /** @type {{ offset: number, bytes: Uint8Array }[]} */
  const pieces = [];
  const source = {
    read: async (/** @type {number} */ offset, /** @type {number} */ length) =>
      message.subarray(offset, offset + length),
    stat: async () => ({ size: message.length }),
  };
  await drive(instance, engine, source, { onStep: () => void pieces.push(pieceOf(instance, engine)) });
  engine.free();
  const size = pieces.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), 0);
  return { size, pieces };
}

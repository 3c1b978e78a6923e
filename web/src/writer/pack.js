/** The shared part of split and repack: options, and engines with OUTPUT. */
import { concat } from '../bytes.js';
import { CpbError } from '../errors.js';
import { moduleFor, openPath } from '../modules.js';
import { openFile } from '../reader/open-file.js';
import { structs } from '../reader/structs.js';
import * as is from '../options.js';
import { prepare } from '../source/index.js';
import { abortable } from '../waiting.js';
import { DONE } from '../wasm/engine.js';
import { namesOf } from '../wasm/names.js';
import { MEMORY } from '../source/other.js';

/** @import { Limits } from '../types.js' */
/** @import { Input, SourceOptions } from '../source/index.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Instance } from '../wasm/instance.js' */
/** @import { Make, Piece } from './output.js' */

/**
 * How chunks are stored.
 * @typedef {object} PackOwnOptions
 * @property {'remote' | 'compat'} [layout] remote (default): each chunk is one range of the file. compat: like
 *   TensorFlow's writer
 * @property {{ name: 'none' | 'zstd' | 'brotli' | 'snappy', level?: number, windowLog?: number }} [codec] default: zstd
 *   if it saves space, for compat brotli. Levels of zstd up to 22 (default 3), of brotli 0 to 11 (default 6), of snappy
 *   1 or 2 (default 1)
 * @property {boolean} [transpose] whether to encode messages also transposed, as Riegeli calls it, and to keep the
 *   smaller result: compressed ones of up to 4 MiB, for compat all chunks
 * @property {boolean} [indexPages] whether the index is in pages, so that a reader fetches only a few of them: for
 *   millions of chunks. TensorFlow's merger rejects such a file
 * @property {number} [memory] bytes, 256 MiB by default: the longest stream as an input, and the largest compressed
 *   chunk if the output is not seekable
 * @property {Limits} [limits]
 */
/**
 * How to store chunks, and how to read the input; everything is optional.
 * @typedef {PackOwnOptions & SourceOptions} PackOptions
 */
/** @typedef {Parameters<Make>[0]} How */

const layouts = { remote: 0, compat: 1 };
/** A value of cpb_transpose. */
const IF_SMALLER = 2;

const ofCodec = { name: is.text, level: is.whole, windowLog: is.size };
export const codecOption = is.within(ofCodec);

/** @type {import('../options.js').Known} */
export const packing = {
  layout: is.oneOf(...Object.keys(layouts)),
  codec: codecOption,
  transpose: is.flag,
  indexPages: is.flag,
  limits: is.limits,
  ...is.reading,
};

/** The part of `memory` that a writer may hold. @param {boolean} seekable @param {number} memory */
export const bufferOf = (seekable, memory) => (seekable ? 0 : Math.min(Math.max(memory, 2 ** 20), 2 ** 31));

/** @param {Instance} instance @param {PackOptions['codec']} codec */
export function codecFields(instance, codec) {
  if (!codec) return undefined;
  const names = namesOf(instance, instance.c.cpb_codec_name);
  is.checkOptions({ codec }, { codec: is.within({ ...ofCodec, name: is.oneOf(...names) }) });
  const { name, level, windowLog } = codec;
  // In C, 0 is the default.
  return {
    codec: names.indexOf(name) + 1,
    level: name === 'brotli' && level === 0 ? -1 : level,
    window_log: windowLog,
  };
}

/**
 * The option fields that both engines have.
 *
 * @param {Instance} instance @param {PackOptions} options @param {How} how
 */
export function packFields(instance, options, { seekable }) {
  const { layout = 'remote', codec, transpose = false, indexPages = false, memory = MEMORY } = options;
  return {
    layout: layouts[layout],
    codec: codecFields(instance, codec),
    transpose: transpose ? IF_SMALLER : 0,
    index_pages: BigInt(indexPages),
    seekable: Number(seekable),
    // A smaller one would change the Riegeli chunks.
    buffer: bufferOf(seekable, memory),
  };
}

/**
 * Opens the input with the module that can write.
 *
 * @template T
 * @param {Input} input
 * @param {PackOptions} options
 * @param {is.Known} known the existing options
 * @param {How} how
 * @param {(file: OpenFile) => AsyncGenerator<Piece, T, void>} use
 */
export async function* withFile(input, options, known, { signal }, use) {
  is.checkOptions(options, known);
  signal?.throwIfAborted();
  const module = await abortable(moduleFor('full'), signal);
  const file = await openFile(module, prepare(input, options, openPath), options.limits);
  try {
    return yield* use(file);
  } finally {
    file.close();
  }
}

/** Output is gathered up to this size before it is passed on. */
const PIECE = 256 * 1024;

/** Joins consecutive pieces of an engine's output. */
export function gatherer() {
  /** @type {{ offset: number, parts: Uint8Array[], length: number }[]} */
  let runs = [];
  let gathered = 0;
  return {
    /** Returns whether there is enough. @param {{ offset: number, bytes: Uint8Array }} piece */
    add({ offset, bytes }) {
      const run = runs.at(-1);
      if (run && run.offset + run.length === offset) {
        run.parts.push(bytes);
        run.length += bytes.length;
      } else {
        runs.push({ offset, parts: [bytes], length: bytes.length });
      }
      return (gathered += bytes.length) >= PIECE;
    },
    /** @returns {Piece[]} */
    take() {
      const pieces = runs.map(({ offset, parts }) => ({
        offset,
        bytes: /** @type {Piece['bytes']} */ (concat(parts)),
      }));
      runs = [];
      gathered = 0;
      return pieces;
    },
  };
}

/**
 * @param {OpenFile} file
 * @param {Engine} engine
 * @param {How} how
 * @returns {AsyncGenerator<Piece, number, void>} returns the size
 */
export async function* pack(file, engine, { signal, onProgress, put }) {
  const gathered = gatherer();
  let size = 0;
  const onStep = () => {
    const piece = lentPiece(file.instance, engine);
    if (!put) return gathered.add(pieceOf(file.instance, engine));
    put(piece.offset, piece.bytes);
    size = Math.max(size, piece.offset + piece.bytes.length);
    return onProgress !== undefined;
  };
  for (let step = -1; step !== DONE;) {
    step = await file.drive(engine, { signal, onStep }).catch(advise);
    for (const piece of gathered.take()) {
      size = Math.max(size, piece.offset + piece.bytes.length);
      yield piece;
    }
    onProgress?.(progressOf(file, engine));
  }
  return size;
}

/** The engine's output, valid until the next call, and the offset to write it at.
 * @param {Instance} instance
 * @param {Engine} engine */
function lentPiece(instance, engine) {
  const bytes = engine.call('output', engine.out, engine.out + 8);
  const { offset } = instance.get(structs.range, engine.out);
  return { offset, bytes: instance.view(bytes, instance.u32(engine.out + 8)) };
}

/** A copy of it. @param {Instance} instance @param {Engine} engine */
export function pieceOf(instance, engine) {
  const { offset, bytes } = lentPiece(instance, engine);
  return { offset, bytes: bytes.slice() };
}

/** @param {OpenFile} file @param {Engine} engine */
const progressOf = ({ instance }, engine) =>
  instance.scope((scope) => {
    const out = scope.struct(structs.range);
    engine.call('progress', out, out + 8);
    const { offset: done, length: total } = instance.get(structs.range, out);
    return { done, total };
  });

/** @param {unknown} error @returns {never} */
export function advise(error) {
  if (error instanceof CpbError && / output is not seekable$/.test(error.message))
    error.message += ': write to a file or a sink, or raise the option memory';
  throw error;
}

/**
 * The arrays of a model: what the page shows of one, and their files. Loaded when the first one is looked at. A part is
 * picked while its array is read, so that only the part is held.
 */
import { realValues, scalesOf } from './dequantize.js';
import { isExported } from './kinds.js';
import { npyHead } from './npy.js';
import { csv, list, textsOf as numberTexts } from './number-texts.js';
import { Picker, rangesOf, shapeOf } from './slices.js';
import { textsOf } from './texts.js';
import { NO_NUMBERS, readerOf, shownOf } from './values.js';

/** The most bytes of a part, since a few bytes may represent many values; and of the array that is kept. */
const [MOST, KEPT] = [256 * 2 ** 20, 32 * 2 ** 20];
/** Bytes that become text at once, and values in a list. */
const [BLOCK, LISTED] = [2 ** 18, 100_000];

/**
 * @typedef {{ tensor: any, slice?: string, real?: boolean, axis?: number }} What real: of quantized values, the ones
 *   that they stand for
 */
/**
 * An array to read, once or, if its bytes are here, again and again.
 * @typedef {object} Source
 * @property {string} dtype
 * @property {string} [numpy]
 * @property {number[]} shape
 * @property {number} itemSize
 * @property {number} count
 * @property {number} size
 * @property {boolean} [fortranOrder]
 * @property {(options: any) => AsyncIterable<Uint8Array>} stream
 * @property {() => void} [close]
 */

/** @param {string} code @param {string} message */
const failed = (code, message) => Object.assign(new Error(message), { code });

/** @param {Omit<Source, 'stream' | 'size'>} about @param {Uint8Array} bytes @returns {Source} */
const kept = ({ dtype, numpy, shape, itemSize, count, fortranOrder }, bytes) => ({
  ...{ dtype, numpy, shape, itemSize, count, fortranOrder, size: bytes.length },
  async *stream() {
    yield bytes;
  },
});

/** @param {Source} source */
const isText = ({ dtype }) => /^(string|utf8)/i.test(dtype);

/** Numbers from bytes in row-major order. @param {Source} source @param {Uint8Array} bytes */
function numbersIn(source, bytes) {
  const read = readerOf(source);
  if (!read) throw failed('UNSUPPORTED', `values of type ${source.dtype} are not numbers`);
  const { buffer, byteOffset, byteLength } = bytes;
  const isAlone = byteLength === buffer.byteLength;
  return read(/** @type {ArrayBuffer} */ (isAlone ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)));
}

/** A part of an array, in row-major order. @param {Source} source @param {string} slice @param {AbortSignal} signal */
async function part(source, slice, signal) {
  const ranges = rangesOf(slice, source.shape);
  const shape = shapeOf(ranges);
  const count = shape.reduce((all, one) => all * one, source.shape.length || source.count ? 1 : 0);
  if (count * source.itemSize > MOST)
    throw failed('LIMIT', `that has ${count * source.itemSize} bytes; a page holds at most ${MOST}`);
  const all = /** @type {any} */ (source).whole;
  const from = all && !slice.trim() ? await all({ signal }) : source;
  const picker = new Picker(from, count ? ranges : [{ start: 0, count: 0, step: 1 }]);
  if (!picker.done) for await (const piece of from.stream({ signal })) if (picker.take(piece)) break;
  return { shape, count, bytes: picker.bytes };
}

/** @param {Source} source @param {string} slice @param {AbortSignal} signal */
async function* npy(source, slice, signal) {
  if (!source.numpy) throw failed('UNSUPPORTED', `NumPy has no type for values of type ${source.dtype}`);
  if (slice.trim()) {
    const { shape, count, bytes } = await part(source, slice, signal);
    yield npyHead({ numpy: source.numpy, shape, count });
    yield bytes;
    return;
  }
  yield npyHead(source);
  yield* source.stream({ signal });
}

/** @param {Source} source @param {string} slice @param {'csv' | 'list'} form @param {AbortSignal} signal */
async function* texts(source, slice, form, signal) {
  if (isText(source)) throw failed('UNSUPPORTED', 'texts are saved as .npy only');
  const encoder = new TextEncoder();
  const [numpy, { itemSize }] = [source.numpy ?? '', source];
  const isWhole = !slice.trim() && !source.fortranOrder && form === 'csv';
  const picked = isWhole ? undefined : await part(source, slice, signal);
  const shape = picked?.shape ?? source.shape;
  const width = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  if (form === 'list') {
    const { count, bytes } = /** @type {NonNullable<typeof picked>} */ (picked);
    if (count > LISTED) throw failed('LIMIT', `${count} values are more than the ${LISTED} that are copied`);
    return void (yield encoder.encode(list(numberTexts(numpy, numbersIn(source, bytes)), shape)));
  }
  let first = 0;
  for await (const bytes of blocks(picked ? [picked.bytes] : source.stream({ signal }), itemSize)) {
    const count = bytes.length / itemSize;
    yield encoder.encode(csv(numberTexts(numpy, numbersIn(source, bytes)), first, count, width));
    first += count;
  }
}

export class Arrays {
  #model;
  #ask;
  #kind;
  /** @type {{ key: string, source: Source } | undefined} the last one, if it is not large */
  #last;

  /**
   * @param {any} model
   * @param {(question: string, options: any, signal: AbortSignal) => Promise<any>} ask
   * @param {string} kind of the model: nodes of some say how values are quantized
   */
  constructor(model, ask, kind) {
    this.#model = model;
    this.#ask = ask;
    this.#kind = kind;
  }

  /** @param {What} what @param {AbortSignal} signal @returns {Promise<import('./values.js').Shown>} */
  async values(what, signal) {
    const { tensor, slice = '', axis } = what;
    if (/^(string|utf8)/i.test(tensor.dtype)) {
      const array = await this.#opened(tensor, signal, true);
      return { ...NO_NUMBERS, shape: array.shape, ...(await textsOf(array, signal)) };
    }
    const by = await this.#scales(tensor, signal);
    const source = await this.#sourceOf(what, signal);
    const { shape, bytes } = await part(source, slice, signal).finally(() => source.close?.());
    const shown = shownOf(numbersIn(source, bytes), { dtype: source.dtype, shape, axis });
    return by ? { ...shown, scales: { by: by.by, scale: by.scale.name, zero: by.zero?.name } } : shown;
  }

  /**
   * The pieces of a file with the values: .npy; or texts, as CSV or a list.
   *
   * @param {What & { form: 'npy' | 'csv' | 'list' }} what @param {AbortSignal} signal
   * @returns {AsyncGenerator<Uint8Array>}
   */
  async *file({ form, ...what }, signal) {
    const source = await this.#sourceOf(what, signal);
    try {
      if (form === 'npy') yield* npy(source, what.slice ?? '', signal);
      else yield* texts(source, what.slice ?? '', form, signal);
    } finally {
      source.close?.();
    }
  }

  /** @param {What} what @param {AbortSignal} signal */
  #sourceOf({ tensor, real }, signal) {
    return real ? this.#realOf(tensor, signal) : this.#opened(tensor, signal);
  }

  /** @param {any} tensor @param {AbortSignal} signal @param {boolean} [exactTexts] @returns {Promise<Source>} */
  async #opened(tensor, signal, exactTexts) {
    const { variable, node, name, tensor: place, tag, state } = tensor;
    const key = JSON.stringify([variable, node, name, place, tag, state]);
    if (this.#last?.key === key) return this.#last.source;
    this.#last = undefined;
    const how = variable ? { variable: true } : { tensor: place, tag, state };
    const array = await this.#model.values(variable ?? node ?? name, { ...how, exactTexts, signal });
    if (array.size > KEPT || isText(array)) return array;
    return {
      ...array,
      whole: async (/** @type {any} */ options) => {
        this.#last = { key, source: kept(array, await array.bytes(options)) };
        return this.#last.source;
      },
    };
  }

  /** @param {import('./dequantize.js').Parameter | undefined} one @param {AbortSignal} signal */
  async #parameter(one, signal) {
    if (!one) return undefined;
    const array = await this.#model.values(one.name, { tensor: one.tensor, signal });
    const { bytes } = await part(array, '', signal).finally(array.close);
    return numbersIn(array, bytes);
  }

  /** @param {any} tensor @param {AbortSignal} signal */
  async #scales(tensor, signal) {
    if (!isExported(this.#kind)) return undefined;
    return scalesOf((question, options) => this.#ask(question, options, signal), tensor).catch(
      (/** @type {any} */ error) => {
        if (error.code !== 'NOT_FOUND') throw error;
        return undefined; // no node has this name
      },
    );
  }

  /** The real values as an array. @param {any} tensor @param {AbortSignal} signal @returns {Promise<Source>} */
  async #realOf(tensor, signal) {
    const by = await this.#scales(tensor, signal);
    if (!by) throw failed('UNSUPPORTED', 'no node says how these values are quantized');
    const [scale, zero] = [await this.#parameter(by.scale, signal), await this.#parameter(by.zero, signal)];
    const source = await this.#opened(tensor, signal);
    if (source.count * 4 > MOST) source.close?.();
    if (source.count * 4 > MOST) throw failed('LIMIT', `${source.count} real values are more than a page holds`);
    const { bytes } = await part(source, '', signal).finally(() => source.close?.());
    const values = realValues(numbersIn(source, bytes), source.shape, by, scale ?? [], zero);
    const about = { dtype: 'float32', numpy: '<f4', shape: source.shape, itemSize: 4, count: source.count };
    return kept(about, new Uint8Array(values.buffer));
  }
}

/** The same bytes in blocks of whole elements. @param {AsyncIterable<Uint8Array> | Uint8Array[]} pieces @param {number} size of an element */
async function* blocks(pieces, size) {
  let rest = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = new Uint8Array(rest.length + piece.length);
    bytes.set(rest);
    bytes.set(piece, rest.length);
    let at = 0;
    while (bytes.length - at >= size) {
      const end = at + Math.floor(Math.min(BLOCK, bytes.length - at) / size) * size;
      yield bytes.subarray(at, end);
      at = end;
    }
    rest = bytes.slice(at);
  }
}

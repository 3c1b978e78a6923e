/**
 * The arrays of a model: what the page shows of one, and their files. Loaded when the first one is looked at. A part is
 * picked while its array is read, so that only the part is held.
 */
import { csv, list, npyHead, textsOf as numberTexts } from './array-forms.js';
import { isExported } from './kinds.js';
import { concat, Picker, rangesOf, shapeOf } from './slices.js';
import { textsOf } from './texts.js';
import { exactly, shownOf } from './values.js';

/** The most bytes of a part, since a few bytes may represent many values; and of the array that is kept. */
const [MOST, KEPT] = [256 * 2 ** 20, 32 * 2 ** 20];
/** Bytes that become text at once, and values in a list. */
const [BLOCK, LISTED] = [2 ** 18, 100_000];
/** Types that may be quantized. */
const SMALL = /^u?int(2|4|8|16|32)$|^float8/i;
/** Consumers to look at. */
const CONSUMERS = 8;

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

/** @import { Numbers } from './values.js' */

/**
 * @param {Numbers} numbers @param {Source} source @param {string} slice @param {'csv' | 'list'} form
 * @param {AbortSignal} signal
 */
async function* texts(numbers, source, slice, form, signal) {
  if (isText(source)) throw failed('UNSUPPORTED', 'texts are saved as .npy only');
  const encoder = new TextEncoder();
  const { numpy = '', itemSize } = source;
  const textsIn = (/** @type {Uint8Array} */ bytes) =>
    numberTexts(numpy, exactly(numbers, { ...source, count: bytes.length / itemSize }, bytes));
  const isWhole = !slice.trim() && !source.fortranOrder && form === 'csv';
  const picked = isWhole ? undefined : await part(source, slice, signal);
  const shape = picked?.shape ?? source.shape;
  const width = shape.length > 1 ? (shape.at(-1) ?? 1) : 1;
  if (form === 'list') {
    const { count, bytes } = /** @type {NonNullable<typeof picked>} */ (picked);
    if (count > LISTED) throw failed('LIMIT', `${count} values are more than the ${LISTED} that are copied`);
    return void (yield encoder.encode(list(textsIn(bytes), shape)));
  }
  let first = 0;
  for await (const bytes of blocks(picked ? [picked.bytes] : source.stream({ signal }), itemSize)) {
    const count = bytes.length / itemSize;
    yield encoder.encode(csv(textsIn(bytes), first, count, width));
    first += count;
  }
}

/** @param {typeof import('libcpb/modules.js').moduleFor} moduleFor @returns {Promise<Numbers>} */
export async function coreOf(moduleFor) {
  const { numbersIn } = await import('libcpb/inspect/numbers.js');
  const { createInstance } = await import('libcpb/wasm/instance.js');
  return numbersIn(await createInstance(await moduleFor('numbers')));
}

export class Arrays {
  #model;
  #ask;
  #kind;
  #makeCore;
  /** @type {Promise<Numbers> | undefined} */
  #numbers;
  /** @type {{ key: string, source: Source } | undefined} the last one, if it is not large */
  #last;

  /**
   * @param {any} model
   * @param {(question: string, options: any, signal: AbortSignal) => Promise<any>} ask
   * @param {string} kind of the model: nodes of some say how values are quantized
   * @param {() => Promise<Numbers>} core for computations on values
   */
  constructor(model, ask, kind, core) {
    this.#model = model;
    this.#ask = ask;
    this.#kind = kind;
    this.#makeCore = core;
  }

  #core() {
    return (this.#numbers ??= this.#makeCore());
  }

  /** @param {What} what @param {AbortSignal} signal @returns {Promise<import('./values.js').Shown>} */
  async values(what, signal) {
    const { tensor, slice = '', axis } = what;
    if (/^(string|utf8)/i.test(tensor.dtype)) {
      const array = await this.#opened(tensor, signal, true);
      return { shape: array.shape, ...(await textsOf(array, signal)) };
    }
    const by = await this.#quantized(tensor, signal);
    const source = await this.#sourceOf(what, signal);
    const { shape, count, bytes } = await part(source, slice, signal).finally(() => source.close?.());
    const { dtype, numpy, itemSize } = source;
    const shown = shownOf(await this.#core(), { dtype, numpy, itemSize, shape, count }, bytes, axis);
    if (!by) return shown;
    const [scale, zero] = [String(by.scale), by.zero === undefined ? undefined : String(by.zero)];
    return { ...shown, scales: { by: by.by, scale, zero } };
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
      else yield* texts(await this.#core(), source, what.slice ?? '', form, signal);
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

  /**
   * A number, or the array with this name. @param {number | string} one @param {any} scope @param {AbortSignal} signal
   * @returns {Promise<import('libcpb/inspect/numbers.js').Parameter>}
   */
  async #parameter(one, scope, signal) {
    if (typeof one === 'number') {
      const about = { dtype: 'float32', numpy: '<f4', shape: [], itemSize: 4, count: 1 };
      return { about, bytes: new Uint8Array(Float32Array.of(one).buffer) };
    }
    const array = await this.#model.values(one, { ...(scope && { function: scope }), signal });
    const { shape, count, bytes } = await part(array, '', signal).finally(array.close);
    const { dtype, numpy, itemSize } = array;
    return { about: { dtype, numpy, itemSize, shape, count }, bytes };
  }

  /** @param {any} tensor @param {AbortSignal} signal */
  async #quantized(tensor, signal) {
    if (!isExported(this.#kind)) return undefined;
    return quantizedBy((question, options) => this.#ask(question, options, signal), tensor).catch(
      (/** @type {any} */ error) => {
        if (error.code !== 'NOT_FOUND') throw error;
        return undefined; // no node has this name
      },
    );
  }

  /** The real values as an array, made while the stored ones are read. @param {any} tensor @param {AbortSignal} signal
   * @returns {Promise<Source>} */
  async #realOf(tensor, signal) {
    const by = await this.#quantized(tensor, signal);
    if (!by) throw failed('UNSUPPORTED', 'no node says how these values are quantized');
    const scale = await this.#parameter(by.scale, tensor.function, signal);
    const zero = by.zero === undefined ? undefined : await this.#parameter(by.zero, tensor.function, signal);
    const numbers = await this.#core();
    const opened = await this.#opened(tensor, signal);
    const whole = /** @type {any} */ (opened).whole;
    const source = whole ? await whole({ signal }) : opened;
    const { shape, count, fortranOrder } = source;
    return {
      ...{ dtype: 'float32', numpy: '<f4', itemSize: 4, size: 4 * count },
      ...{ shape, count, fortranOrder, close: source.close },
      async *stream(options) {
        const reals = numbers.reals(source, { scale, zero, axis: by.axis, block: by.block });
        try {
          for await (const piece of source.stream(options)) {
            const { buffer, byteOffset, byteLength } = reals.next(piece);
            yield new Uint8Array(buffer, byteOffset, byteLength);
          }
        } finally {
          reals.free();
        }
      },
    };
  }
}

/**
 * The same bytes in blocks of whole elements.
 *
 * @param {AsyncIterable<Uint8Array> | Uint8Array[]} pieces @param {number} size of an element
 */
async function* blocks(pieces, size) {
  let rest = new Uint8Array();
  for await (const piece of pieces) {
    const bytes = concat([rest, piece]);
    let at = 0;
    while (bytes.length - at >= size) {
      const end = at + Math.floor(Math.min(BLOCK, bytes.length - at) / size) * size;
      yield bytes.subarray(at, end);
      at = end;
    }
    rest = bytes.slice(at);
  }
}

/** @typedef {{ by: string, scale: number | string, zero?: number | string, axis?: number, block?: number }} QuantizedBy */

/**
 * How a node makes real values of quantized weights, as the core tells it.
 *
 * @param {(question: string, options: any) => Promise<any>} ask
 * @param {any} tensor
 * @returns {Promise<QuantizedBy | undefined>} undefined: it is not quantized, or in a way that is not known here
 */
async function quantizedBy(ask, { node, name = node, function: scope, dtype, shape }) {
  if (!name || !SMALL.test(dtype ?? '') || !shape) return undefined;
  const { consumers } = await ask('consumers', { name, ...(scope && { scope }), count: CONSUMERS });
  const found = consumers.items.find((/** @type {any} */ one) => one.quantized?.scale !== undefined);
  if (!found) return undefined;
  const { scale, zero_point: zero, axis, block_size: block } = found.quantized;
  return { by: found.name, scale, zero, axis, block };
}

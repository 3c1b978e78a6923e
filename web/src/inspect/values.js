/** The values of one array of a model (cpb/values.h), streamed. */
import { collector } from '../collector.js';
import { streamOf } from '../source/streams.js';
import { DATA, DONE } from '../wasm/engine.js';
import { createFeed, longest } from '../wasm/feed.js';
import { teller } from '../progress.js';
import { delegated, numberOf } from './model.js';
import * as is from '../options.js';
import { structs } from './structs.js';

/** @import { Told } from '../progress.js' */
/** @import { ReadOptions } from '../types.js' */
/** @import { Engine } from '../wasm/engine.js' */
/** @import { Feed } from '../wasm/feed.js' */
/** @import { OpenFile } from '../reader/open-file.js' */
/** @import { Body } from '../reader/merged-body.js' */
/** @import { State } from './inspect.js' */

/** @type {import('../options.js').Known} */
const known = {
  signal: is.signal,
  onProgress: is.callback,
  tag: is.text,
  function: is.text,
  metaGraph: is.size,
  tensor: is.within({ offset: is.size, size: is.size }),
  exactTexts: is.flag,
  variable: is.flag,
  state: is.size,
};

/**
 * Selects an array of a model, if its name alone is not enough.
 * @typedef {object} ValuesOptions
 * @property {AbortSignal} [signal] for the search
 * @property {ReadOptions['onProgress']} [onProgress] of the search
 * @property {string} [tag] of a SameDiff zip; by default the newest
 * @property {string} [function] the function or subgraph that has the node or tensor; by default the graph itself, or
 *   else the only one that has it
 * @property {number} [metaGraph] of a SavedModel: which, from 0
 * @property {{ offset: number, size: number }} [tensor] the place of the tensor, as in `constants` and `nodes`: it is
 *   then not searched, and the name does not matter
 * @property {boolean} [exactTexts] TensorFlow's strings each after its length in 8 bytes, instead of padded to the
 *   longest
 * @property {boolean} [variable] the name is a SavedModel's variable, its path, or its key in the given checkpoint, and
 *   not a constant; by default constants come first
 * @property {number} [state] SameDiff: instead of the parameter's value, the n-th state, from 1, that its updater has
 *   for it
 */

/**
 * An array. Read its values once, with either `bytes` or `stream`.
 * @typedef {object} Values
 * @property {string} dtype the model's own name, such as 'FLOAT' or 'float32'
 * @property {string | undefined} numpy NumPy's name for the returned values, such as '<f4'
 * @property {number} itemSize bytes of an element; 0 if it varies
 * @property {number[]} shape
 * @property {boolean} fortranOrder whether the first dimension varies fastest
 * @property {number} count of elements
 * @property {number} size total bytes of the values
 * @property {(options?: ReadOptions) => ReadableStream<Uint8Array>} stream the
 *   values, little-endian
 * @property {(options?: ReadOptions) => Promise<Uint8Array<ArrayBuffer>>} bytes the
 *   same at once
 * @property {() => void} close ends reading; not needed after `bytes`, or after the stream's end
 */

/**
 * The message's feed for an array. Long values come as a stream from a separate feed, because other readers of the
 * message would end it.
 *
 * @param {Feed} feed @param {Body} body @returns {Feed}
 */
function streaming(feed, body) {
  const { size } = feed;
  if (!body.goesOn || size === undefined) return feed;
  const own = createFeed({ read: body.read, stream: body.stream, stat: async () => ({ size }) }, { size });
  let isLong = false;
  return {
    ...delegated(() => feed),
    get got() {
      return feed.got + own.got;
    },
    at: (offset) => feed.at(offset) ?? own.at(offset),
    fetch: (offset, length, ahead, options) =>
      ((isLong ||= ahead > longest) ? own : feed).fetch(offset, length, ahead, options),
    stop: () => (own.stop(), feed.stop()),
  };
}

/**
 * @param {Pick<State, 'file' | 'body' | 'feed' | 'kind'>} of
 * @param {string} name
 * @param {ValuesOptions} [options]
 * @param {import('./checkpoint.js').Checkpoint} [checkpoint] for a name that is a key
 * @returns {Promise<Values>}
 */
export async function valuesOf({ file, body, feed, kind }, name, options = {}, checkpoint = undefined) {
  is.checkOptions(options, known);
  const { signal, onProgress, tag, state, metaGraph, tensor, exactTexts } = options;
  const { instance } = file;
  const encoder = new TextEncoder();
  const place = tag ?? options.function;
  const engine = file.make('cpb_values', (scope) => {
    const bytes = encoder.encode(name);
    const scopeBytes = place === undefined ? undefined : encoder.encode(place);
    return instance.c.cpb_values_new(
      0,
      numberOf(instance, kind),
      scope.bytes(bytes),
      bytes.length,
      scope.struct(structs.values_options, {
        scope: scopeBytes && scope.bytes(scopeBytes),
        scope_size: scopeBytes?.length,
        state,
        meta_graph: metaGraph,
        exact_texts: exactTexts ? 1 : 0,
        tensor_offset: tensor?.offset,
        tensor_size: tensor?.size,
        checkpoint: checkpoint?.pointer,
        limits: file.limitsIn(scope),
      }),
    );
  });
  const of = `values of ${name}`;
  const feedOf = checkpoint?.feeds();
  engine.feed = feedOf ? delegated(() => feedOf(engine.call('shard'))) : streaming(feed, body);
  try {
    // Reads up to the first values, which come with the description of the array.
    const first = collector();
    const take = () => (first.add(engine.peek()), true);
    const step = await file.drive(engine, { signal, onStep: take, got: teller(onProgress, of) });
    return arrayOf(file, engine, first.bytes(), step === DONE, of);
  } catch (error) {
    engine.free();
    throw error;
  }
}

/**
 * @param {OpenFile} file
 * @param {Engine} engine
 * @param {Uint8Array<ArrayBuffer>} first of the values
 * @param {boolean} ended
 * @param {string} of the subject of progress reports
 * @returns {Values}
 */
function arrayOf(file, engine, first, ended, of) {
  const { instance } = file;
  const info = instance.get(structs.values_info, engine.call('get_info'));

  /** @param {AbortSignal} [signal] @param {Told} [told] */
  async function* pieces(signal, told) {
    try {
      told?.(first.length);
      yield first;
      for (let step = ended ? DONE : DATA; step !== DONE;) {
        const piece = collector();
        step = await file.drive(engine, {
          signal,
          onStep: () => (piece.add(engine.peek()), true),
        });
        const bytes = piece.bytes();
        told?.(bytes.length);
        yield bytes;
      }
    } finally {
      engine.free();
    }
  }

  return {
    dtype: instance.text(info.dtype),
    numpy: info.numpy ? instance.text(info.numpy) : undefined,
    itemSize: info.item_size,
    shape: Array.from({ length: info.rank }, (_, i) => Number(instance.u64(info.shape + 8 * i))),
    fortranOrder: info.fortran_order !== 0,
    count: info.count,
    size: info.size,
    stream({ signal: outer, onProgress } = {}) {
      const told = teller(onProgress, of, info.size);
      return streamOf((signal) => pieces(signal, told), outer, 'own');
    },
    async bytes({ signal, onProgress } = {}) {
      const told = teller(onProgress, of, info.size);
      const all = collector(info.size);
      for await (const piece of pieces(signal, told)) all.add(piece);
      return all.bytes();
    },
    close: engine.free,
  };
}

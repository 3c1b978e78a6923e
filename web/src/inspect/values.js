/** The values of one array of a model (cpb/values.h), streamed. */
import { collector } from '../collector.js';
import { streamOf } from '../source/streams.js';
import { DATA, DONE } from '../wasm/engine.js';
import { createFeed, longest } from '../wasm/feed.js';
import { teller } from '../progress.js';
import { delegated } from './delegated.js';
import { numberOf, shared } from './model.js';
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
 * Which array of a model is meant, where its name alone does not say.
 * @typedef {object} ValuesOptions
 * @property {AbortSignal} [signal] for finding the array
 * @property {ReadOptions['onProgress']} [onProgress] of finding the array
 * @property {string} [tag] of a SameDiff zip; the newest when not said
 * @property {string} [function] or subgraph that has the node or tensor; when not said, the graph itself,
 *   or else the only one that has it
 * @property {number} [metaGraph] of a SavedModel: which, from 0
 * @property {{ offset: number, size: number }} [tensor] where the tensor lies, as `constants`
 *   and `nodes` have it: then it is not looked for, and the name does not matter
 * @property {boolean} [exactTexts] TensorFlow's texts each after its length in 8 bytes, rather
 *   than filled up to the longest
 * @property {boolean} [variable] the name is that of a SavedModel's variable, its path, or its key
 *   in the checkpoint that the model was given, and of no constant, which comes first when this is not said
 * @property {number} [state] SameDiff: not the parameter's value but the n-th state, from 1,
 *   that its updater has for it
 */

/**
 * An array. Its values are read by `bytes` or `stream`, one of them, once.
 * @typedef {object} Values
 * @property {string} dtype the model's own name, such as 'FLOAT' or 'float32'
 * @property {string | undefined} numpy NumPy's name for the values as they come, such as '<f4'
 * @property {number} itemSize bytes of an element; 0 when it is not fixed
 * @property {number[]} shape
 * @property {boolean} fortranOrder whether the first dimension varies fastest
 * @property {number} count of elements
 * @property {number} size bytes that will come
 * @property {(options?: ReadOptions) => ReadableStream<Uint8Array>} stream the
 *   values, little-endian
 * @property {(options?: ReadOptions) => Promise<Uint8Array<ArrayBuffer>>} bytes the
 *   same at once
 * @property {() => void} close ends reading; after `bytes`, or the stream's end, it is done
 */

/**
 * The message's feed for an array. Long values come as a stream, which is that of a feed of its own:
 * others who read the message would end it.
 *
 * @param {Feed} feed
 * @param {Body} body
 * @returns {Feed}
 */
function streaming(feed, body) {
  const { size } = feed;
  const ofMessage = shared(feed);
  if (!body.goesOn || size === undefined) return ofMessage;
  const own = createFeed({ read: body.read, stream: body.stream, stat: async () => ({ size }) }, { size });
  let isLong = false;
  return {
    ...ofMessage,
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
 * @param {import('./checkpoint.js').Checkpoint} [checkpoint] where the name is a key
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
    // Drives the engine to the first values; then it knows the array's type and shape.
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
 * @param {string} of name of the data for progress
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

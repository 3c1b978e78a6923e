/** Opens a model in its worker: its answers, what lies beside it, its graphs and arrays. */
import { blobSource, inspect, urlSource } from 'libcpb';
import { fingerprintOf } from './fingerprint.js';
import { graphs } from './graphs.js';
import { shownOf } from './values.js';

/**
 * @typedef {{ offset: number, length: number, beside?: string }} Fetched a range of the
 *   model, or a file beside it
 * @typedef {{ url?: string, file?: File, beside?: File[] }} Input
 * @typedef {{ signal: AbortSignal }} Signal
 */

/** The most that is read of a file beside a model. */
const MOST = 64 * 2 ** 20;

/**
 * The same source, which tells what is read of it.
 *
 * @param {import('libcpb').Source} source
 * @param {(range: Fetched) => void} tell
 */
function told(source, tell) {
  const layer = Object.create(source);
  layer.read = async (/** @type {number} */ offset, /** @type {number} */ length, /** @type {any} */ options) => {
    const bytes = await source.read(offset, length, options);
    tell({ offset, length: bytes.length });
    return bytes;
  };
  if (source.tail) {
    layer.tail = async (/** @type {number} */ length, /** @type {any} */ options) => {
      const answer = await source.tail?.(length, options);
      if (answer) tell({ offset: answer.size - answer.bytes.length, length: answer.bytes.length });
      return answer;
    };
  }
  layer.stream = undefined; // read in pieces, which are told
  return layer;
}

/**
 * Finds files beside a SavedModel. That there is none is no error, nor that it cannot be read.
 *
 * @param {Input} input
 * @param {(range: Fetched) => void} tell
 */
function besides({ url, file, beside }, tell) {
  return async (/** @type {string} */ name, /** @type {AbortSignal} */ signal) => {
    if (file) {
      const found = beside?.find((one) => one.name === name.split('/').pop() && one !== file && one.size <= MOST);
      return found && new Uint8Array(await found.arrayBuffer());
    }
    if (!/saved_model\.(pb|cpb)$/.test(new URL(String(url)).pathname)) return undefined;
    const response = await fetch(new URL(name, url), { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (!response) return undefined;
    const fits = response.ok && Number(response.headers.get('content-length') ?? 0) <= MOST;
    const bytes = fits ? ((await response.bytes?.()) ?? new Uint8Array(await response.arrayBuffer())) : undefined;
    if (!fits) await response.body?.cancel();
    tell({ offset: 0, length: bytes?.length ?? 0, beside: name });
    return bytes;
  };
}

/** What may lie beside a model, and the questions that are also about it. @type {Record<string, 'layers' | 'values'>} */
const ABOUT = { layers: 'layers', load: 'layers', variables: 'values' };

/**
 * A model with what lies beside it, which is looked for when a question is about it.
 *
 * @param {Input} input
 * @param {import('libcpb').Model} model
 * @param {() => import('libcpb').Source} source of the model
 * @param {(range: Fetched) => void} tell
 */
function modelsOf(input, model, source, tell) {
  const beside = besides(input, tell);
  const isSaved = model.kind === 'saved_model';

  /** A file in variables/. @param {string} name */
  function dataFile(name) {
    if (input.file) return input.beside?.find((one) => one.name === name);
    const path = `variables/${name}`;
    return told(urlSource(new URL(path, input.url)), (range) => tell({ ...range, beside: path }));
  }

  const openers = {
    /** With keras_metadata.pb, if that is there. @param {AbortSignal} signal */
    async layers(signal) {
      const kerasMetadata = await beside('keras_metadata.pb', signal);
      return kerasMetadata ? inspect(source(), { kerasMetadata, signal }) : model;
    },
    /** With the values of its variables, if they are there. @param {AbortSignal} signal */
    async values(signal) {
      const index = await beside('variables/variables.index', signal);
      return index ? inspect(source(), { checkpoint: { index, data: dataFile }, signal }) : model;
    },
  };
  /** @type {Map<string, Promise<typeof model>>} */
  const known = new Map();

  return {
    /** The model that knows what the question is about. @param {string} question @param {AbortSignal} signal */
    async modelFor(question, signal) {
      const about = ABOUT[question];
      if (!about || !isSaved) return model;
      const opened = known.get(about) ?? openers[about](signal);
      known.set(about, opened);
      opened.catch(() => known.delete(about));
      return opened;
    },
    /** @param {AbortSignal} signal */
    async fingerprint(signal) {
      const bytes = isSaved ? await beside('fingerprint.pb', signal) : undefined;
      return bytes && fingerprintOf(bytes);
    },
  };
}

/** @param {Uint8Array} graphDef @returns {Promise<import('./folded-graph.js').Ask>} */
async function askGraphDef(graphDef) {
  const model = await inspect(graphDef, { format: 'pb', kind: 'graph_def' });
  return ({ question, ...options }, { signal }) => model.ask(question, { ...options, signal });
}

/**
 * @param {Input} input
 * @param {AbortSignal} opening
 * @param {(range: Fetched) => void} tell
 */
export async function openModel(input, opening, tell) {
  const source = () => told(input.file ? blobSource(input.file) : urlSource(String(input.url)), tell);
  const model = await inspect(source(), { signal: opening });
  const { kind, message } = model;
  const { modelFor, fingerprint } = modelsOf(input, model, source, tell);

  /** @type {import('./folded-graph.js').Ask} */
  const ask = async ({ question, ...options }, { signal }) =>
    (await modelFor(question, signal)).ask(question, { ...options, signal });

  return {
    about: { kind, size: message.size, numChunks: message.numChunks },
    ask,
    ...graphs(ask, kind, askGraphDef),
    /** Where the chunks begin, if they are not too many. @param {{ most: number }} options */
    chunks({ most }) {
      if (!message.numChunks || message.numChunks > most) return [];
      return [...new Set(Array.from(message.chunks(), ({ position }) => position))].sort((a, b) => a - b);
    },
    /** @param {{ tensor: any }} options @param {Signal} how */
    values: async ({ tensor }, { signal }) =>
      shownOf(await modelFor(tensor.variable ? 'variables' : '', signal), tensor, signal),
    /** What the file beside a SavedModel says. @param {{}} _ @param {Signal} how */
    fingerprint: async (_, { signal }) => fingerprint(signal),
  };
}

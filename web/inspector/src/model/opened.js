/** A model in its worker: its answers, what lies beside it, its graphs and arrays. */
import { blobSource, inspect, urlSource } from 'libcpb';
import { fingerprintOf } from './fingerprint.js';
import { graphs } from './graphs.js';
import { shownOf } from './values.js';

/**
 * @typedef {{ offset: number, length: number, beside?: string }} Fetched a range of the
 *   model, or a file beside it
 * @typedef {{ url?: string, file?: File, beside?: File[] }} Input
 * @typedef {Awaited<ReturnType<typeof openModel>>} Opened
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
    const bytes = fits ? await response.bytes?.() ?? new Uint8Array(await response.arrayBuffer()) : undefined;
    if (!fits) await response.body?.cancel();
    tell({ offset: 0, length: bytes?.length ?? 0, beside: name });
    return bytes;
  };
}

/**
 * @param {Input} input
 * @param {AbortSignal} signal
 * @param {(range: Fetched) => void} tell
 */
export async function openModel(input, signal, tell) {
  const source = () => told(input.file ? blobSource(input.file) : urlSource(String(input.url)), tell);
  const model = await inspect(source(), { signal });
  const { kind, message } = model;
  const beside = besides(input, tell);

  /** With keras_metadata.pb, if that is there. @param {AbortSignal} signal */
  async function withLayers(signal) {
    const kerasMetadata = kind === 'saved_model' ? await beside('keras_metadata.pb', signal) : undefined;
    return kerasMetadata ? inspect(source(), { kerasMetadata, signal }) : model;
  }

  /** A file in variables/. @param {string} name */
  function dataFile(name) {
    if (input.file) return input.beside?.find((one) => one.name === name);
    const path = `variables/${name}`;
    return told(urlSource(new URL(path, input.url)), (range) => tell({ ...range, beside: path }));
  }

  /** With the values of its variables, if they are there. @param {AbortSignal} signal */
  async function withValues(signal) {
    const index = kind === 'saved_model' ? await beside('variables/variables.index', signal) : undefined;
    return index ? inspect(source(), { checkpoint: { index, data: dataFile }, signal }) : model;
  }

  /** Questions about what lies beside a model, too. @type {Record<string, (signal: AbortSignal) => Promise<typeof model>>} */
  const more = { layers: withLayers, load: withLayers, variables: withValues };
  /** @type {Map<Function, Promise<typeof model>>} */
  const known = new Map();

  /** The model that knows what the question is about. @param {string} question @param {AbortSignal} signal */
  async function modelFor(question, signal) {
    const open = more[question];
    if (!open) return model;
    const opened = known.get(open) ?? open(signal);
    known.set(open, opened);
    opened.catch(() => known.delete(open));
    return opened;
  }

  /** @param {any} question @param {AbortSignal} signal */
  async function ask({ question, ...options }, signal) {
    return (await modelFor(question, signal)).ask(question, { ...options, signal });
  }

  return {
    about: { kind, size: message.size, numChunks: message.numChunks },
    ask,
    ...graphs(ask, kind),
    /** @param {{ most: number }} options */
    chunks({ most }) {
      if (!message.numChunks || message.numChunks > most) return [];
      return [...new Set(Array.from(message.chunks(), ({ position }) => position))].sort((a, b) => a - b);
    },
    /** @param {{ tensor: any }} options @param {AbortSignal} signal */
    values: async ({ tensor }, signal) => shownOf(await modelFor(tensor.variable ? 'variables' : '', signal), tensor, signal),
    /** @param {{}} _ @param {AbortSignal} signal */
    async fingerprint(_, signal) {
      const bytes = kind === 'saved_model' ? await beside('fingerprint.pb', signal) : undefined;
      return bytes && fingerprintOf(bytes);
    },
  };
}

/** Opens a model in its worker, once: its answers, the files next to it, its graphs and arrays. */
import { blobSource, CpbError, inspect } from 'libcpb';
import { cutAddress } from 'libcpb/inspect/address.js';
import { moduleFor } from 'libcpb/modules.js';
import { inTurn, once } from 'libcpb/waiting.js';
import { readingAhead, widening } from './ahead.js';
import { Budget } from './budget.js';
import { compare } from './compare.js';
import { amongFiles, atUrl, checkpointBeside, download, early, fileAt, isWithin, wholeAt } from './places.js';
import { findModel } from './find-model.js';
import { graphs } from './graphs.js';
import { outlining } from './outline.js';

/** @import { Message, Model } from 'libcpb' */
/** @import { Place } from './places.js' */
/** @import { Requests } from './requests.js' */

/** @typedef {{ url: string, whole?: boolean } | { chosen: import('./places.js').Chosen[], entry?: string }} Input whole:
 *   download all of it first; chosen: the first file is the model; entry: the name of one in an archive */
/** @typedef {{ signal: AbortSignal, unasked?: boolean }} Signal unasked: not requested by the reader */

/** Passes a piece of a file to the page. @typedef {(file: number, piece: Uint8Array) => Promise<void>} Write */

/** A person waits, and can try again. */
const RETRY = { attempts: 3, base: 200 };

/** The largest file next to the model that a server may send as a whole, in bytes. */
const MOST_WHOLE = 64 * 2 ** 20;

/** Questions that also concern files next to a model. @type {Record<string, 'keras' | 'checkpoint'>} */
const ABOUT = { overview: 'keras', layers: 'keras', load: 'keras', search: 'keras', variables: 'checkpoint' };

/** The files that each kind of model may have. @type {Record<string, (string | undefined)[]>} */
const HAVE_BESIDE = { saved_model: ['keras', 'checkpoint'], meta_graph: ['checkpoint'] };

/**
 * The files next to a SavedModel, each passed to the model before the first question about it.
 *
 * @param {Place} place of the model
 * @param {AbortSignal} opening
 */
function besides(place, opening) {
  const near = (/** @type {string} */ name) => (isWithin(place) ? place.near(name) : undefined);
  // The first question needs it: it is fetched together with the model's beginning.
  const mayHaveKeras = !/\.(meta|index)$/.test(place.name);
  const keras = Promise.resolve(mayHaveKeras ? near('keras_metadata.pb')?.bytes(opening) : undefined);
  keras.catch(() => {});

  return {
    /** @param {Model} model @param {AbortSignal} signal */
    async fingerprint(model, signal) {
      const fingerprint = await near('fingerprint.pb')?.bytes(signal);
      if (fingerprint) await model.add({ fingerprint });
      const { fingerprint: found, problems } = /** @type {any} */ (await model.overview({ signal }));
      const damage = problems.find((/** @type {any} */ { text }) => /^fingerprint/.test(text));
      return damage ? { ...found, problem: damage.text } : found;
    },
    /** Returns whether it passed the model a file that a question concerns. @param {Model} model */
    giving(model) {
      const given = { keras: false, checkpoint: false };
      const give = {
        keras: once(async () => {
          const kerasMetadata = await keras;
          if (kerasMetadata) await model.add({ kerasMetadata });
          return (given.keras = !!kerasMetadata);
        }),
        checkpoint: once(async () => {
          const checkpoint = await checkpointBeside(place, near);
          if (checkpoint) await model.add({ checkpoint });
          return (given.checkpoint = !!checkpoint);
        }),
      };
      return async (/** @type {string} */ question) => {
        const what = HAVE_BESIDE[model.kind]?.includes(ABOUT[question]) && ABOUT[question];
        return what && !given[what] ? give[what]() : false;
      };
    },
  };
}

/** The same model, with progress reports for its arrays. @param {Model} model @param {Requests} requests */
const telling = (model, requests) => ({
  async values(/** @type {string} */ name, /** @type {any} */ options) {
    const array = await model.values(name, options);
    const onProgress = (/** @type {any} */ { done, total }) => requests.work({ done, total });
    const bytes = (/** @type {any} */ { signal }) => array.bytes({ signal, onProgress });
    return { ...array, bytes, stream: (/** @type {any} */ { signal }) => array.stream({ signal, onProgress }) };
  },
});

/**
 * What the page does with arrays, once it does. @param {Model} model @param {Exposing} how
 * @param {import('./folded-graph.js').Ask} ask
 */
function valuesOf(model, { requests, write, give = async () => false }, ask) {
  const arrays = once(async () => {
    const { Arrays, coreOf } = await import('./arrays.js');
    const { kind } = model;
    return new Arrays(
      telling(model, requests),
      (question, options, signal) => ask({ question, ...options }, { signal }),
      kind,
      () => coreOf(moduleFor),
    );
  });
  /** @template T @param {any} tensor @param {(all: Awaited<ReturnType<typeof arrays>>) => Promise<T>} act */
  const using = (tensor, act) =>
    requests.freely(async () => {
      try {
        if (tensor.variable) await give('variables');
        return await act(await arrays());
      } catch (error) {
        const { code, message } = /** @type {any} */ (error);
        throw code && !(error instanceof CpbError) ? new CpbError(code, message) : error;
      } finally {
        requests.work();
      }
    });
  return {
    /** @param {import('./arrays.js').What} what @param {Signal} how */
    values: (what, { signal }) => using(what.tensor, (all) => all.values(what, signal)),
    /** A file with the values, whose pieces the page writes. @param {any} what @param {Signal} how */
    save: ({ to, ...what }, { signal }) =>
      using(what.tensor, async (all) => {
        for await (const piece of all.file(what, signal)) await write?.(to, piece);
      }),
  };
}

/** A single meta graph is shown like a SavedModel with nothing else. @param {string} kind */
const shownAs = (kind) => (kind === 'meta_graph' ? 'saved_model' : kind);

/** Questions without brief answers. */
const NEEDS_ALL = ['constants', 'layers'];

/**
 * @typedef {{ requests: Requests, write?: Write, about: any, remote?: boolean, give?: (question: string) => Promise<boolean>,
 *   fingerprint?: (model: Model, signal: AbortSignal) => Promise<any>, ahead?: ReturnType<typeof readingAhead> }} Exposing
 */

/** Asks a model, with the files next to it, one question at a time. @param {Model} model @param {Exposing} how */
function asking(model, { requests, remote, give = async () => false, ahead }) {
  const { kind } = model;
  // Until something needs the initializers, which may take hundreds of requests, no answer waits for them.
  let brief = kind === 'onnx' && remote;
  /** @type {import('./folded-graph.js').Ask} */
  const answer = async ({ question, ...given }, { signal }) => {
    const options = { ...given, ...(brief && { brief }) };
    // The model is read while the files next to it are being fetched; afterwards the answer may change.
    ahead?.before(question, signal);
    const asked = model.ask(question, { ...options, signal });
    asked.then(
      (answer) => {
        if (question === 'overview') ahead?.after(answer);
        if (NEEDS_ALL.includes(question)) brief = false;
      },
      () => {},
    );
    const last = (await give(question)) ? model.ask(question, { ...options, signal }) : asked;
    return kind === 'meta_graph' && question === 'overview' ? { ...(await last), kind: shownAs(kind) } : last;
  };
  const next = inTurn();
  const budget = new Budget(model.message.size);
  return {
    isBrief: () => !!brief,
    /** @type {import('./folded-graph.js').Ask} */
    ask: (question, how) => next(() => (how.signal.throwIfAborted(), answer(question, how))),
    /** For work without a request by the reader: an answer, or its cost.
     * @param {Parameters<typeof answer>[0]} question @param {Signal} how */
    offer: (question, how) =>
      next(async () => {
        how.signal.throwIfAborted();
        return requests
          .within(budget, () => answer(question, how))
          .catch((/** @type {any} */ error) => {
            if (!error.price) throw error;
            return { price: error.price };
          });
      }),
  };
}

/** A page of the file's chunks. @param {Message} message @param {{ first: number, count: number }} page */
function chunksOf(message, { first, count }) {
  const total = message.numChunks;
  const length = Math.max(0, Math.min(count, total - first));
  const items = Array.from({ length }, (_, i) => {
    const { index, type, size, position, file } = message.chunk(first + i);
    return { index, type, size, position, file };
  });
  return { total, first, items };
}

/**
 * Bytes of a chunk, and how it is stored; without a chunk, of the message itself.
 *
 * @param {Message} message @param {{ chunk?: number, offset: number, length: number }} range @param {Signal} how
 */
async function chunkBytes(message, { chunk: index, offset, length }, { signal }) {
  if (index === undefined) {
    const [bytes, size] = [await message.read(offset, length, { signal }), await message.messageSize({ signal })];
    return { bytes, size };
  }
  const chunk = message.chunk(index);
  const stored = await chunk.stored({ signal });
  const bytes = await chunk.read(offset, length, { signal });
  const other = chunk.file > 0 ? (await message.files())[chunk.file - 1]?.name : undefined;
  return { bytes, size: stored.size, stored, type: chunk.type, position: chunk.position, other };
}

/** The page's methods for a model. @param {Model} model @param {Exposing} how */
function exposed(model, how) {
  const { requests, about, remote = false, ahead, fingerprint = async () => undefined } = how;
  const { kind, message } = model;
  const { ask, offer, isBrief } = asking(model, how);
  const { signal } = new AbortController(); // it goes on after its outline
  const outline =
    ahead && kind === 'graph_def'
      ? outlining(() => ask({ question: 'overview' }, { signal }), ahead.source, message.size)
      : undefined;
  return {
    about: { kind: shownAs(kind), size: message.size, numChunks: message.numChunks, ...about },
    /**
     * @param {any} question whole: no outline
     * @param {Signal} how
     */
    ask({ whole, ...question }, how) {
      if (outline && question.question === 'overview') return outline(!!whole);
      return how.unasked && remote ? offer(question, how) : ask(question, how);
    },
    ...graphs(ask, kind, isBrief),
    /** The positions of the chunks, if there are not too many. @param {{ most: number }} options */
    chunks({ most }) {
      if (!message.numChunks || message.numChunks > most) return [];
      const own = [...message.chunks()].filter(({ file }) => file === 0);
      return [...new Set(own.map(({ position }) => position))].sort((a, b) => a - b);
    },
    /** @param {{ first: number, count: number }} page */
    chunkList: (page) => chunksOf(message, page),
    /** @param {{ chunk?: number, offset: number, length: number }} range @param {Signal} how */
    chunkBytes: (range, how) => requests.freely(() => chunkBytes(message, range, how)),
    ...valuesOf(model, how, ask),
    /** The fingerprint file next to a SavedModel. @param {{}} _ @param {Signal} how */
    fingerprint: async (_, { signal }) => fingerprint(model, signal),
  };
}

/**
 * @typedef {object} Opening
 * @property {Requests} requests
 * @property {Write} write
 * @property {AbortSignal} signal
 * @property {Promise<void>} ready once the WebAssembly module is loaded
 * @property {string} [entry] which file of an archive
 */

/** @param {Place} place @param {Opening} opening */
async function openAt(place, opening) {
  const { requests, write, signal, ready, entry } = opening;
  const { giving, fingerprint } = besides(place, signal);
  const isGraph = place.remote && /\.pb$/.test(place.name);
  const source = isGraph ? widening(place.source(), signal) : early(place, signal);
  const ahead = isGraph ? readingAhead(source) : undefined;
  await ready;
  const model = await inspect(ahead?.source ?? source, { signal, entry, retry: RETRY });
  return {
    ...exposed(model, {
      requests,
      write,
      about: { path: entry === undefined ? place.path : `${place.path}!/${entry}` },
      remote: place.remote,
      give: giving(model),
      fingerprint,
      ahead,
    }),
    /**
     * The differences between it and another model.
     * @param {{ other: import('./compare.js').Other, skipValues?: boolean }} options @param {Signal} how
     */
    compare: ({ other, skipValues }, { signal }) =>
      requests.freely(() => compare(place, other, requests, { skipValues, signal })),
  };
}

/**
 * Opens a model; or returns the reason why it cannot: a folder has none of the files that were `tried`, its server
 * sends only the `whole` file, or an archive has several models, the `choices`.
 *
 * @param {Input} input @param {Opening} opening
 */
export async function openModel(input, opening) {
  try {
    if ('url' in input) return await openUrl(input, opening);
    const [first] = input.chosen;
    if (!first) throw new Error('no file was chosen');
    return await openAt(amongFiles(first, input.chosen, opening.requests), { ...opening, entry: input.entry });
  } catch (error) {
    const { entries: choices } = /** @type {any} */ (error);
    if (choices) return { choices };
    throw error;
  }
}

/** @param {{ url: string, whole?: boolean }} input @param {Opening} opening */
async function openUrl({ url: address, whole }, opening) {
  const { input, entry } = cutAddress(address);
  const url = await fileAt(input);
  const within = { ...opening, entry };
  const place = atUrl(url, opening.requests, whole ? { maxWhole: MOST_WHOLE } : {});
  if (whole) {
    const file = await download(url, opening.requests, opening.signal);
    const { beside } = place.source();
    return openAt({ ...place, remote: false, source: () => ({ ...blobSource(file), beside }) }, within);
  }
  let last = place;
  try {
    return await findModel(place, (one) => openAt((last = one), within));
  } catch (error) {
    const { code, status } = /** @type {any} */ (error);
    if (code === 'RANGE' && status === 200) return { whole: { url: last.path, size: last.whole() } };
    // A compressed range cannot be unpacked, and some servers permit only requests without a range.
    const answer = code === 'NETWORK' ? await wholeAt(last.path, opening.signal) : undefined;
    if (!answer) throw error;
    return { whole: answer };
  }
}

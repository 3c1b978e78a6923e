/** An open model on the page: its answers, each requested once, and the transfers. */
import { connectWorker } from 'libcpb/worker/connected-worker.js';
import { unpack } from 'libcpb/worker/proxy.js';
import { wholeAddress } from './address.js';
import { pathOf } from './files.js';
import { modules, startWorker } from './start-worker.js';

/** @import { Fetched, News } from './model/requests.js' */

/** @typedef {{ kind: string, size: number, numChunks: number, path: string }} About */

/** @typedef {{ offset?: number | null, text: string, damage?: boolean }} Problem */

/** Whether the page reads a file for its worker: in WebKit, workers of a page from a disk cannot, and in a notebook the
 * kernel reads. @param {{ file: File }} chosen */
const isReadHere = ({ file }) => location.protocol === 'file:' || !(file instanceof File);

/** The worker's description of a file that the page reads. @param {{ path: string, file: File }} chosen */
const described = ({ path, file: { name, size, lastModified } }) => ({ path, name, size, lastModified });

/** An answer that several callers may wait for; it is aborted when the last one stops waiting. A brief one is used until
 * the full one is known.
 * @typedef {{ answer: Promise<any>, stop: AbortController, waiting: number, brief?: boolean }} Shared */

/** @param {Shared} one @param {AbortSignal} [signal] */
async function wait(one, signal) {
  one.waiting++;
  try {
    if (!signal) return await one.answer;
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      one.answer.then(resolve, reject);
    });
  } finally {
    if (!--one.waiting) one.stop.abort();
  }
}

/** A part that was not read because of its cost becomes an error here. @param {any} answer */
function unlessPriced(answer) {
  if (!answer?.price) return answer;
  throw Object.assign(new Error('it costs more than is read unasked'), { code: 'BUDGET', price: answer.price });
}

export class Session extends EventTarget {
  /** @type {Fetched[]} the transfers, in order */
  fetched = [];
  /** bytes of it */
  bytes = 0;
  /** of the requests that are under way */
  coming = { done: 0, total: 0 };
  /** @type {News['work']} of a value that is read as a whole */
  work;
  /** @type {About} */
  about = { kind: '', size: 0, numChunks: 0, path: '' };
  /** @type {Problem | undefined} where reading ended, of a model that is damaged */
  damage;
  /** the number of times that answers were replaced by more complete ones */
  round = 0;
  /** number of the meta graph that is asked about */
  metaGraph = 0;
  /** the tag of a SameDiff file that is looked at, '' for the default */
  tag = '';
  /** @type {File[]} */
  #files;
  /** @type {Map<string, Shared>} */
  #answers = new Map();
  /** whether unrequested work may have any cost */
  #paid = false;
  /** writers of files with values, by number @type {Map<number, (piece: Uint8Array<ArrayBuffer>) => unknown>} */
  #written = new Map();
  #saved = 0;
  #worker = connectWorker(startWorker('model-worker'));
  /** the worker's methods for the model, which take options and a signal @type {any} */
  #model;

  /**
   * @param {string | File} input a URL or a file
   * @param {{ beside?: File[], whole?: boolean, entry?: string }} [options] beside: files that came with it; whole:
   *   download it first; entry: the name of one in an archive
   */
  constructor(input, { beside = [], whole, entry } = {}) {
    super();
    const isUrl = typeof input === 'string';
    const files = isUrl ? [] : [input, ...beside.filter((file) => file !== input)];
    const chosen = files.map((file) => ({ file, path: pathOf(file) }));
    if (isUrl) this.input = { url: wholeAddress(input), whole };
    else this.input = { chosen: chosen.map((one) => (isReadHere(one) ? described(one) : one)), entry };
    this.#files = files;
  }

  /** @param {AbortSignal} signal */
  async open(signal) {
    const { connection } = this.#worker;
    const owner = { connection };
    const page = connection.describe({
      news: (/** @type {News} */ news) => this.#note(news),
      read: async (/** @type {number} */ i, /** @type {number} */ begin, /** @type {number} */ end) =>
        new Uint8Array((await this.#files[i]?.slice(begin, end).arrayBuffer()) ?? new ArrayBuffer(0)),
      write: (/** @type {number} */ file, /** @type {Uint8Array<ArrayBuffer>} */ piece) =>
        this.#written.get(file)?.(piece),
    });
    // The worker fetches parts of the model while the module is still being loaded.
    const opened = connection.call(owner, [1], 'open', [this.input, page, { signal }]);
    const used = modules().then((/** @type {object} */ modules) => connection.call(owner, [1], 'use', [modules]));
    const [answer] = await Promise.all([opened, used]);
    const model = unpack(owner, answer);
    if (!model.about) throw Object.assign(new Error('no model was opened'), model);
    this.about = model.about;
    this.#model = model;
  }

  /** @param {News} news */
  #note({ ranges, coming, work }) {
    this.fetched.push(...ranges);
    for (const { length } of ranges) this.bytes += length;
    Object.assign(this, { coming, work });
    this.dispatchEvent(new Event('fetched'));
  }

  /**
   * An answer; the same question again is answered at once.
   *
   * @param {string} question @param {Record<string, any>} [options] @returns {Promise<any>}
   */
  ask(question, options = {}) {
    return this.look('ask', { question, ...options });
  }

  /**
   * The result of one of the worker's methods, each called once.
   *
   * @param {string} method
   * @param {Record<string, any>} options unasked: not requested by the reader. If the answer exceeds a budget, the
   *   error is BUDGET, with the `price` of the rest
   * @returns {Promise<any>}
   */
  look(method, { signal, unasked, ...options }) {
    const given = this.#shared(method, signal, !!unasked && !this.#paid, options);
    if (unasked) return given;
    // Work that began before the reader's request may have stopped at its budget.
    return given.catch((error) => {
      if (!error.price) throw error;
      return this.look(method, { signal, ...options });
    });
  }

  /**
   * Writes a file with values, piece by piece.
   *
   * @param {import('./model/arrays.js').What & { form: string }} what
   * @param {(piece: Uint8Array<ArrayBuffer>) => unknown} write @param {AbortSignal} signal
   */
  async save(what, write, signal) {
    const to = ++this.#saved;
    this.#written.set(to, write);
    try {
      await this.#model.save({ ...what, to }, { signal });
    } finally {
      this.#written.delete(to);
    }
  }

  /** Accepts any cost: parts that were not read are requested again. */
  pay() {
    this.#paid = true;
    this.#askAgain();
  }

  /**
   * @param {string} method @param {AbortSignal | undefined} signal @param {boolean} unasked
   * @param {Record<string, any>} options
   */
  #shared(method, signal, unasked, options) {
    const { metaGraph = this.metaGraph } = options;
    options.metaGraph = metaGraph || undefined;
    if (method !== 'ask' && this.tag) options.tag ??= this.tag; // a question gets it as its scope
    const key = JSON.stringify([method, options]);
    let known = this.#answers.get(key);
    if (!known || known.stop.signal.aborted) {
      const stop = new AbortController();
      const answer = this.#model[method](options, { signal: stop.signal, unasked }).then(unlessPriced);
      /** @type {Shared} */
      const asked = { answer, stop, waiting: 0 };
      asked.answer.then(
        (/** @type {any} */ answer) => {
          asked.waiting = Infinity; // it is never aborted
          asked.brief = !!answer?.unread;
          this.#check(answer?.problems);
          if (answer?.coming) void this.#complete(options);
          else if (method === 'ask' && !asked.brief) this.#replace();
        },
        () => this.#answers.get(key) === asked && this.#answers.delete(key),
      );
      this.#answers.set(key, (known = asked));
    }
    return wait(known, signal);
  }

  /** Waits for the complete answer after an outline. @param {any} options */
  async #complete(options) {
    await this.#model.ask({ ...options, whole: true }, {}).catch(() => {}); // which is answered next
    this.#replace();
  }

  /** Forgets brief answers once there is a complete one, because the data for it has been read. */
  #replace() {
    const brief = [...this.#answers].filter(([, one]) => one.brief);
    if (!brief.length) return;
    for (const [key] of brief) this.#answers.delete(key);
    this.#askAgain();
  }

  #askAgain() {
    this.round++;
    this.dispatchEvent(new Event('replaced'));
  }

  /** @param {Problem[] | undefined} problems of an answer */
  #check(problems) {
    const damage = problems?.find(({ damage }) => damage);
    if (!damage || this.damage) return;
    this.damage = damage;
    this.dispatchEvent(new Event('fetched'));
  }

  close() {
    this.#worker.end();
  }
}

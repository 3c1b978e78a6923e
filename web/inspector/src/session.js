/** A model that is open, as the page has it: its answers, each asked for once, and what was fetched. */
import { connectWorker } from 'libcpb/worker/connected-worker.js';
import { unpack } from 'libcpb/worker/proxy.js';
import { startWorker } from './start-worker.js';

/** @typedef {import('./model/open-model.js').Fetched} Fetched */
/** @typedef {{ kind: string, size: number, numChunks: number }} About */

/** An answer that several may wait for; when none does any more, it is not wanted.
 * @typedef {{ answer: Promise<any>, stop: AbortController, waiting: number }} Shared */

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

export class Session extends EventTarget {
  /** @type {Fetched[]} what was fetched, in the order in which it came */
  fetched = [];
  /** bytes of it */
  bytes = 0;
  /** @type {About} */
  about = { kind: '', size: 0, numChunks: 0 };
  /** number of the meta graph that is asked about */
  metaGraph = 0;
  /** @type {Map<string, Shared>} */
  #answers = new Map();
  #worker = connectWorker(startWorker(new URL('./model-worker.js', import.meta.url)));
  /** what the worker exposes of the model: methods that take options and a signal @type {any} */
  #model;

  /** @param {string | File} input a URL or a file @param {File[]} [beside] files that came with it */
  constructor(input, beside = []) {
    super();
    this.input = typeof input === 'string' ? { url: new URL(input, document.baseURI).href } : { file: input, beside };
    this.name = typeof input === 'string' ? input : input.webkitRelativePath || input.name;
  }

  /** @param {AbortSignal} signal */
  async open(signal) {
    const { connection } = this.#worker;
    const owner = { connection };
    const page = connection.describe({ fetched: (/** @type {Fetched[]} */ ranges) => this.#note(ranges) });
    const model = unpack(owner, await connection.call(owner, [1], 'open', [this.input, page, { signal }]));
    this.about = model.about;
    this.#model = model;
  }

  /** @param {Fetched[]} ranges */
  #note(ranges) {
    this.fetched.push(...ranges);
    for (const { length } of ranges) this.bytes += length;
    this.dispatchEvent(new Event('fetched'));
  }

  /**
   * An answer; the same question again answers at once.
   *
   * @param {string} question
   * @param {Record<string, any>} [options]
   * @returns {Promise<any>}
   */
  ask(question, options = {}) {
    return this.look('ask', { question, ...options });
  }

  /**
   * What one of the worker's methods gives, each asked for once.
   *
   * @param {string} method
   * @param {Record<string, any>} options
   * @returns {Promise<any>}
   */
  look(method, { signal, ...options }) {
    if (this.metaGraph) options.metaGraph ??= this.metaGraph;
    const key = JSON.stringify([method, options]);
    let known = this.#answers.get(key);
    if (!known || known.stop.signal.aborted) {
      const stop = new AbortController();
      const asked = { answer: this.#model[method](options, { signal: stop.signal }), stop, waiting: 0 };
      asked.answer.then(
        () => (asked.waiting = Infinity), // it is here to stay
        () => this.#answers.get(key) === asked && this.#answers.delete(key),
      );
      this.#answers.set(key, (known = asked));
    }
    return wait(known, signal);
  }

  close() {
    this.#worker.end();
  }
}

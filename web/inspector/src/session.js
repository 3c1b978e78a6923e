/** A model that is open, as the page has it: its answers, each asked for once, and what was fetched. */
import { startWorker } from './start-worker.js';

/** @typedef {import('./model/opened.js').Fetched} Fetched */
/** @typedef {{ kind: string, size: number, numChunks: number }} About */

/** An answer that several may wait for; when none does any more, it is not wanted.
 * @typedef {{ answer: Promise<any>, stop: AbortController, waiting: number }} Shared */

/** Calls to a worker, answered by promises. @param {Worker} worker @param {(fetched: Fetched[]) => void} tell */
function callsTo(worker, tell) {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: unknown) => void }>} */
  const waiting = new Map();
  let last = 0;
  worker.onmessage = ({ data: { id, value, error, fetched } }) => {
    if (fetched) return tell(fetched);
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(Object.assign(new Error(error.message), error));
    else resolve?.(value);
  };
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the worker cannot be started'));
    waiting.clear();
  };
  /** @param {string} method @param {any} [args] @param {AbortSignal} [signal] @returns {Promise<any>} */
  return (method, args = {}, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const id = ++last;
      waiting.set(id, { resolve, reject });
      worker.postMessage({ id, method, args });
      signal?.addEventListener('abort', () => {
        worker.postMessage({ abort: id });
        waiting.delete(id);
        reject(signal.reason);
      });
    });
}

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
  /** @type {Map<string, Shared>} */
  #answers = new Map();
  #worker = startWorker(new URL('./model-worker.js', import.meta.url));
  #call = callsTo(this.#worker, (fetched) => {
    this.fetched.push(...fetched);
    for (const { length } of fetched) this.bytes += length;
    this.dispatchEvent(new Event('fetched'));
  });

  /** @param {string | File} input a URL or a file @param {File[]} [beside] files that came with it */
  constructor(input, beside = []) {
    super();
    this.input = typeof input === 'string' ? { url: new URL(input, document.baseURI).href } : { file: input, beside };
    this.name = typeof input === 'string' ? input : input.webkitRelativePath || input.name;
  }

  /** @param {AbortSignal} signal */
  async open(signal) {
    this.about = await this.#call('open', this.input, signal);
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
    const key = JSON.stringify([method, options]);
    let known = this.#answers.get(key);
    if (!known || known.stop.signal.aborted) {
      const stop = new AbortController();
      const asked = { answer: this.#call(method, options, stop.signal), stop, waiting: 0 };
      asked.answer.then(
        () => (asked.waiting = Infinity), // it is here to stay
        () => this.#answers.get(key) === asked && this.#answers.delete(key),
      );
      this.#answers.set(key, (known = asked));
    }
    return wait(known, signal);
  }

  close() {
    this.#worker.terminate();
  }
}

/** A model that is open: its answers, each asked for once, and what was fetched for them. */
import { blobSource, inspect, urlSource } from 'libcpb';

/** @typedef {{ offset: number, length: number }} Range */
/** @typedef {Awaited<ReturnType<typeof inspect>>} Model */

/**
 * The same source, which tells what is read of it.
 *
 * @param {import('libcpb').Source} source
 * @param {(range: Range) => void} tell
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

/** Which files of a folder are a model, the best first. */
const MODELS = [/saved_model\.cpb$/, /saved_model\.pb$/, /\.cpb$/, /\.pb$/, /\.zip$/, /\.fb$/];

/** @param {File[]} files */
export function modelAmong(files) {
  for (const name of MODELS) {
    const file = files.find((one) => name.test(one.name));
    if (file) return file;
  }
  return files[0];
}

export class Session extends EventTarget {
  /** @type {Range[]} what was fetched, in the order in which it came */
  fetched = [];
  /** @type {Map<string, Promise<any>>} */
  #answers = new Map();

  /** @param {string} name @param {Model} model */
  constructor(name, model) {
    super();
    this.name = name;
    this.model = model;
  }

  /**
   * @param {string | File} input a URL or a file
   * @param {AbortSignal} signal
   * @param {File[]} [beside] the files that came with it
   */
  static async open(input, signal, beside = []) {
    /** @type {Session | undefined} */
    let session;
    /** @type {Range[]} */
    const early = [];
    const source = typeof input === 'string' ? urlSource(input) : blobSource(input);
    const name = typeof input === 'string' ? input : input.name;
    const tell = (/** @type {Range} */ range) => {
      (session?.fetched ?? early).push(range);
      session?.dispatchEvent(new Event('fetched'));
    };
    const keras = beside.find((file) => file.name === 'keras_metadata.pb' && file !== input);
    const kerasMetadata = keras && new Uint8Array(await keras.arrayBuffer());
    const model = await inspect(told(source, tell), { signal, kerasMetadata });
    session = new Session(name, model);
    session.fetched = early;
    return session;
  }

  /**
   * An answer; the same question again answers at once.
   *
   * @param {import('libcpb').QuestionName} question
   * @param {Record<string, any>} [options]
   * @returns {Promise<any>}
   */
  ask(question, options = {}) {
    const { signal, ...rest } = options;
    const key = JSON.stringify([question, rest]);
    const known = this.#answers.get(key);
    if (known) return known;
    const answer = this.model.ask(question, options);
    this.#answers.set(key, answer);
    answer.catch(() => this.#answers.delete(key));
    return answer;
  }

  close() {
    this.model.close();
  }
}

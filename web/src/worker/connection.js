/**
 * Calls between two threads; both ends have the same code. An object exposed by one thread is a
 * proxy (proxy.js) in the other, whose methods are messages:
 *
 * | message | |
 * |---|---|
 * | `{ call, place, method, args, ends }` | call number `call`; `ends`: its last argument takes a signal |
 * | `{ answer, value, error, cost }` | the result of that call |
 * | `{ abort }` | the caller no longer waits for that call |
 * | `{ release }` | the proxy of that object is no longer used |
 *
 * Bytes are transferred; they are copied first only if other code may use them. Errors keep
 * their class, code and details. A stream stays in its thread and is read by calls, one for each
 * pull: transferring the stream would copy the bytes and lose the codes of errors.
 */
import { CpbError } from '../errors.js';
import { abortable, onAbort } from '../waiting.js';
import { unpack, watched } from './proxy.js';

/** @import { Cost, Progress, ReadOptions } from '../types.js' */
/** @import { Owner } from './proxy.js' */

/**
 * One end of a connection: a Worker on the page, or the port inside the Worker.
 * @typedef {object} Port
 * @property {(message: any, transfer?: any) => void} postMessage
 * @property {((event: any) => void) | null} [onmessage]
 */

/**
 * Identifies a method: of an exposed object, or of the result of one of its methods.
 * @typedef {[id: number, method?: string, argument?: any]} Place
 */

/**
 * An exposed object in a message: its data, and its methods.
 * @typedef {{ object: number, data: object, methods: string[] }} Description
 */

/**
 * A result in a message: plain, an iterator that stays in its thread, or an object that does.
 * @typedef {{ plain?: any, iterator?: number } & Partial<Description>} Packed
 */

/**
 * The special behaviour of one end of a connection; everything is optional.
 * @typedef {object} Hooks
 * @property {(busy: boolean) => void} [busy] called when it begins or stops waiting for answers
 * @property {(result: any) => boolean} [stays] whether a result stays here, and is exposed; without this function all
 *   results are posted
 * @property {() => boolean} [owned] whether answered bytes are not shared
 * @property {() => Cost | undefined} [cost] the cost, which is sent with each answer
 */

/** @param {unknown} value */
const isFunction = (value) => typeof value === 'function';

export class Connection {
  #port;
  #hooks;
  /** @type {Map<number, { resolve: Function, reject: Function, owner: Owner }>} */
  #waiting = new Map();
  /** @type {Map<number, { object: any, close?: () => void }>} */
  #objects = new Map();
  /** @type {Map<number, AbortController>} */
  #running = new Map();
  #count = 0;
  /** @type {CpbError | undefined} the reason why it ended */
  ended;
  /** @type {Cost | undefined} from the other end's last message */
  cost;
  /** Releases objects whose proxies are garbage-collected. */
  forgotten = new FinalizationRegistry((/** @type {number} */ id) => this.release(id));

  /** @param {Port} port @param {Hooks} [hooks] */
  constructor(port, hooks = {}) {
    this.#port = port;
    this.#hooks = hooks;
    port.onmessage = ({ data }) => this.#receive(data);
  }

  /** Makes all pending and later calls fail. @param {CpbError} error */
  end(error) {
    this.ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    for (const controller of this.#running.values()) controller.abort(error);
    for (const { close } of this.#objects.values()) close?.();
    this.#waiting.clear();
    this.#objects.clear();
  }

  /** Tells the other end that its object is no longer needed. @param {number} id */
  release(id) {
    if (!this.ended) this.#port.postMessage({ release: id });
  }

  /**
   * @param {any} object
   * @param {() => void} [close] called when it is released
   * @returns {number}
   */
  expose(object, close) {
    this.#objects.set(++this.#count, { object, close });
    return this.#count;
  }

  /**
   * Exposes an object, by default with all its methods, and describes it to the other end.
   *
   * @param {Record<string, any>} object @param {string[]} [members] @returns {Description}
   */
  describe(object, members = Object.keys(object)) {
    const data = members.filter((name) => !isFunction(object[name]));
    return {
      object: this.expose(object),
      data: Object.fromEntries(data.map((name) => [name, object[name]])),
      methods: members.filter((name) => isFunction(object[name])),
    };
  }

  /**
   * @param {Owner} owner
   * @param {Place} place
   * @param {string} method
   * @param {any[]} args the last may hold a signal
   * @returns {Promise<any>}
   */
  async call(owner, place, method, args) {
    if (this.ended) throw this.ended;
    let options = args.at(-1);
    const { signal, onProgress } = /** @type {ReadOptions} */ (Object(options));
    const ends = 'signal' in Object(options) || onProgress !== undefined;
    signal?.throwIfAborted();
    const { tell, check } = watched(onProgress);
    if (tell) options = { ...options, onProgress: this.describe({ tell }) };
    if (ends) args = [...args.slice(0, -1), { ...options, signal: undefined }];
    const id = ++this.#count;
    const waiting = this.#waiting;
    const answered = new Promise((resolve, reject) => waiting.set(id, { resolve, reject, owner }));
    try {
      this.#port.postMessage({ call: id, place, method, args, ends });
    } catch (cause) {
      waiting.delete(id);
      throw new CpbError('USAGE', `${method}: ${cause}`, { cause });
    }
    this.#hooks.busy?.(true);
    const stay = onAbort(signal, () => this.#port.postMessage({ abort: id }));
    try {
      const answer = await abortable(answered, signal);
      check();
      return answer;
    } catch (error) {
      check();
      throw error;
    } finally {
      stay();
    }
  }

  /** @param {any} message */
  #receive(message) {
    if (message.call) this.#perform(message);
    else if (message.abort) this.#running.get(message.abort)?.abort();
    else if (message.release) this.#forget(message.release);
    else this.#settle(message);
  }

  /** @param {number} id */
  #forget(id) {
    this.#objects.get(id)?.close?.();
    this.#objects.delete(id);
  }

  /** @param {any} message */
  #settle({ answer: id, value, error, cost }) {
    const { resolve, reject, owner } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    this.cost = cost;
    if (this.#waiting.size === 0) this.#hooks.busy?.(false);
    if (error) reject?.(unpackError(error));
    else if (owner) resolve?.(unpack(owner, value));
  }

  /** @param {any} message */
  async #perform({ call: id, place: [on, via, argument], method, args, ends }) {
    const controller = new AbortController();
    if (ends) this.#equip(args.at(-1), controller);
    this.#running.set(id, controller);
    try {
      const target = this.#objects.get(on)?.object;
      const result = await (via ? target[via](argument) : target)[method](...args);
      /** @type {any[]} */
      const transfer = [];
      this.#answer({ answer: id, value: this.#pack(result, controller, transfer) }, transfer);
    } catch (error) {
      this.#answer({ answer: id, error: packError(error) });
    }
    this.#running.delete(id);
  }

  /** Adds values to the options that cannot be posted. @param {any} options @param {AbortController} controller */
  #equip(options, controller) {
    options.signal = controller.signal;
    if (!options.onProgress?.object) return;
    const { tell } = unpack({ connection: this }, options.onProgress);
    // An error thrown there ends the call here.
    options.onProgress = (/** @type {Progress} */ progress) =>
      void tell(progress).catch((/** @type {unknown} */ error) => controller.abort(error));
  }

  /** @param {object} message @param {any[]} [transfer] */
  #answer(message, transfer = []) {
    if (this.ended) return;
    this.#port.postMessage({ ...message, cost: this.#hooks.cost?.() }, transfer);
  }

  /** @param {any} value @param {AbortController} controller @param {any[]} transfer @returns {Packed} */
  #pack(value, controller, transfer) {
    const steps = stepsOf(value);
    if (steps) {
      const next = async () => (await steps.next()).value;
      return { iterator: this.expose({ next }, () => stop(steps, controller)) };
    }
    if (this.#hooks.stays?.(value)) return this.describe(value);
    /** @param {any} item */
    const give = (item) => (item instanceof Uint8Array ? this.#own(item, transfer) : item);
    if (Array.isArray(value)) return { plain: value.map(give) };
    return { plain: value?.bytes ? { ...value, bytes: give(value.bytes) } : give(value) };
  }

  /** Bytes that can be transferred. @param {Uint8Array} bytes @param {any[]} transfer */
  #own(bytes, transfer) {
    const whole = this.#hooks.owned?.() && bytes.byteLength === bytes.buffer.byteLength;
    const mine = whole ? bytes : new Uint8Array(bytes);
    transfer.push(mine.buffer);
    return mine;
  }
}

/** The items of a stream or an iterator. @param {any} value @returns {AsyncIterator<any> | undefined} */
function stepsOf(value) {
  if (!(value instanceof ReadableStream)) return value?.[Symbol.asyncIterator]?.();
  const reader = value.getReader();
  return /** @type {any} */ ({ next: () => reader.read(), return: () => reader.cancel() });
}

/** @param {AsyncIterator<any>} steps @param {AbortController} controller */
function stop(steps, controller) {
  controller.abort();
  steps.return?.()?.catch(() => {});
}

/** @param {any} error */
const packError = (error) =>
  error instanceof CpbError
    ? { ...error, message: error.message }
    : { name: error?.name, message: error?.message ?? String(error) };

/** @param {any} error */
const unpackError = ({ code, message, ...details }) =>
  code ? new CpbError(code, message, details) : Object.assign(new Error(message), details);
